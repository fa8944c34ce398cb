// SPDX-License-Identifier: Apache-2.0
// What code needs that is compiled for the processor and for a GPU alike (event_loop.h).
#pragma once

#include <bit>
#include <cstdint>

#ifdef __CUDACC__
#define BERTH_PORTABLE __host__ __device__ __forceinline__
#define BERTH_UNROLL _Pragma("unroll")
#else
#define BERTH_PORTABLE inline __attribute__((always_inline))
#define BERTH_UNROLL _Pragma("GCC unroll 5")
#endif

namespace berth::batch {

BERTH_PORTABLE std::uint32_t lowest_bit(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(mask)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(mask));
#endif
}
BERTH_PORTABLE std::uint32_t lowest_bit(std::uint32_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(mask)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(mask));
#endif
}
BERTH_PORTABLE std::uint32_t count_bits(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popcll(mask));
#else
  return static_cast<std::uint32_t>(std::popcount(mask));
#endif
}
BERTH_PORTABLE std::uint32_t count_bits(std::uint32_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popc(mask));
#else
  return static_cast<std::uint32_t>(std::popcount(mask));
#endif
}

// A load from tables that nobody writes while the loop runs: a GPU has a cache of its own for those.
template <typename T>
BERTH_PORTABLE T load(const T* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 16) {
    const uint4 value = __ldg(reinterpret_cast<const uint4*>(from));
    return *reinterpret_cast<const T*>(&value);
  } else if constexpr (sizeof(T) == 8) {
    const uint2 value = __ldg(reinterpret_cast<const uint2*>(from));
    return *reinterpret_cast<const T*>(&value);
  } else {
    return __ldg(from);
  }
#else
  return *from;
#endif
}

}  // namespace berth::batch
