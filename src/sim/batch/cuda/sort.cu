// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/sort.h"

#include <cuda_runtime.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cuda/std/functional>

namespace berth::batch {
namespace {

struct RowBegin {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

template <typename Key>
cudaError_t sort(void* space, std::size_t& bytes, const Key* keys, Key* sorted_keys, const std::uint32_t* values,
                 std::uint32_t* sorted_values, std::size_t rows, std::size_t length) {
  const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                      RowBegin{static_cast<std::int64_t>(length)});
  return cub::DeviceSegmentedRadixSort::SortPairs(space, bytes, keys, sorted_keys, values, sorted_values,
                                                  static_cast<std::int64_t>(rows * length),
                                                  static_cast<std::int64_t>(rows), begins, begins + 1);
}

}  // namespace

template <typename Key>
std::size_t sort_space(std::size_t rows, std::size_t length) {
  std::size_t bytes = 0;
  sort<Key>(nullptr, bytes, nullptr, nullptr, nullptr, nullptr, rows, length);
  return bytes;
}

template <typename Key>
bool sort_rows(const Key* keys, Key* sorted_keys, const std::uint32_t* values, std::uint32_t* sorted_values,
               std::size_t rows, std::size_t length, void* space, std::size_t bytes) {
  return sort(space, bytes, keys, sorted_keys, values, sorted_values, rows, length) == cudaSuccess;
}

template std::size_t sort_space<std::uint16_t>(std::size_t, std::size_t);
template std::size_t sort_space<std::uint64_t>(std::size_t, std::size_t);
template bool sort_rows(const std::uint16_t*, std::uint16_t*, const std::uint32_t*, std::uint32_t*, std::size_t,
                        std::size_t, void*, std::size_t);
template bool sort_rows(const std::uint64_t*, std::uint64_t*, const std::uint32_t*, std::uint32_t*, std::size_t,
                        std::size_t, void*, std::size_t);

}  // namespace berth::batch
