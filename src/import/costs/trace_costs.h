// SPDX-License-Identifier: Apache-2.0
// What the events of a trace say about the times of ops.
#pragma once

#include <span>
#include <vector>

#include "import/costs/trace_events.h"
#include "problem/cost/measured_costs.h"

namespace berth {

// Profiles of ONNX Runtime: events of category Node named NODE_kernel_time, one per run. The execution provider says on
// what kind of device; nothing for those that run on several.
bool is_onnxruntime_profile(std::span<const TraceEvent> events);
std::vector<Measurement> onnxruntime_times(std::span<const TraceEvent> events);

// Other traces: an event is the time of the op it is named after.
// - Events of the GPU (kernel, gpu_memcpy, gpu_memset, gpu_user_annotation) hold on GPUs.
// - Events of the CPU (cpu_op, user_annotation) that launched kernels, themselves or through events inside them, hold
// on
//   GPUs with the sum of these kernels' times, which then do not stand for themselves; those that launched none hold on
//   CPUs. Launches are found by Kineto's "External id".
// - Python's functions and calls of the driver and runtime are no ops. Other categories do not say where they ran.
// In the order of their starts.
std::vector<Measurement> trace_times(std::span<const TraceEvent> events);

}  // namespace berth
