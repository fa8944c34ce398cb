// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/gpu_simulator.h"

#if BERTH_CUDA
#include "sim/batch/cuda/cuda_simulator.h"
#endif

namespace berth {

Result<std::unique_ptr<GpuSimulator>> make_gpu_simulator([[maybe_unused]] const Problem& problem,
                                                         [[maybe_unused]] int threads) {
#if BERTH_CUDA
  return make_cuda_simulator(problem, {.threads = threads});
#else
  return bad_input("this berth was built without CUDA (docs/simulator.md says how to build it with)");
#endif
}

}  // namespace berth
