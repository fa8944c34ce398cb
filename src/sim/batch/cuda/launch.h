// SPDX-License-Identifier: Apache-2.0
// How a kernel is started: by nvcc's own brackets, or by whatever stands in for a card (tests/support/cuda_on_host),
// where an ordinary compiler reads this code. And how its threads share what each can do alone.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
namespace berth::batch {

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
            Arguments... arguments) {
  kernel<<<blocks, threads, shared_bytes>>>(arguments...);
}

}  // namespace berth::batch
#endif

namespace berth::batch {

// body(i) for i below `total`, in turns.
template <typename Body>
__device__ __forceinline__ void for_each_index(std::uint64_t total, Body body) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < total; i += step) {
    body(i);
  }
}
// A kernel that does so.
template <typename... Parameters, typename... Arguments>
void launch_for_each(std::size_t total, void (*kernel)(Parameters...), Arguments... arguments) {
  constexpr std::size_t kThreads = 256, kMostBlocks = 4096;
  const std::size_t blocks = std::clamp<std::size_t>((total + kThreads - 1) / kThreads, 1, kMostBlocks);
  launch(kernel, static_cast<unsigned>(blocks), kThreads, 0, arguments...);
}

}  // namespace berth::batch
