// SPDX-License-Identifier: Apache-2.0
// Events of a trace in Chrome's JSON: an array of events, or an object with "traceEvents". Profiles of ONNX Runtime and
// traces of Kineto (torch.profiler) are written so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth {

// A complete event ("ph": "X") with a name and a duration; all others are passed over.
struct TraceEvent {
  std::string name = {};      // "args.name" where it is there, which some writers keep for the op's own name
  std::string category = {};  // "cat"
  std::string provider = {};  // "args.provider" of ONNX Runtime
  double start_us = 0.0, duration_us = 0.0;
  std::uint32_t thread = 0;       // equal for events of one process and thread
  std::int64_t external_id = -1;  // "args.External id" of Kineto: kernels have that of the call that launched them
};

// In the order of the file.
Result<std::vector<TraceEvent>> read_trace_events(std::string text);

}  // namespace berth
