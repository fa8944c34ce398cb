// SPDX-License-Identifier: Apache-2.0
// Batches of PlanBatch on CUDA: what CudaBatch does in plain types, judged by the capacities of the problem.
#pragma once

#include <memory>

#include "sim/batch/gpu_simulator.h"

namespace berth {

struct CudaOptions {
  int threads = 1;  // that help with uploads
  // Plans near a base begin at moments of its run where a batch has so many plans times ops and that saves such a
  // share of their runs: less gains nothing (docs/simulator.md, "Cheaper than a run").
  std::size_t least_near_ops = 2'000'000'000;
  double least_saved = 0.1;
};

// Fails where no card answers, or the problem is none for it; says which.
Result<std::unique_ptr<GpuSimulator>> make_cuda_simulator(const Problem& problem, const CudaOptions& options = {});

}  // namespace berth
