// SPDX-License-Identifier: Apache-2.0
// Batches of PlanBatch on CUDA: what CudaBatch does in plain types, judged by the capacities of the problem.
#pragma once

#include <memory>

#include "sim/batch/gpu_simulator.h"

namespace berth {

struct CudaOptions {
  int threads = 1;  // that help with uploads
};

// Fails where no card answers, or the problem is none for it; says which.
Result<std::unique_ptr<GpuSimulator>> make_cuda_simulator(const Problem& problem, const CudaOptions& options = {});

}  // namespace berth
