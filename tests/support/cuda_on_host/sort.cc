// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/sort.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace berth::batch {

template <typename Key>
std::size_t sort_space(std::size_t, std::size_t) {
  return 1;
}

template <typename Key>
bool sort_rows(const Key* keys, Key* sorted_keys, const std::uint32_t* values, std::uint32_t* sorted_values,
               std::size_t rows, std::size_t length, void*, std::size_t) {
  std::vector<std::size_t> places(length);
  for (std::size_t row = 0; row < rows; ++row) {
    std::iota(places.begin(), places.end(), row * length);
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    for (const std::size_t place : places) {
      *sorted_keys++ = keys[place];
      *sorted_values++ = values[place];
    }
  }
  return true;
}

template std::size_t sort_space<std::uint16_t>(std::size_t, std::size_t);
template std::size_t sort_space<std::uint64_t>(std::size_t, std::size_t);
template bool sort_rows(const std::uint16_t*, std::uint16_t*, const std::uint32_t*, std::uint32_t*, std::size_t,
                        std::size_t, void*, std::size_t);
template bool sort_rows(const std::uint64_t*, std::uint64_t*, const std::uint32_t*, std::uint32_t*, std::size_t,
                        std::size_t, void*, std::size_t);

}  // namespace berth::batch
