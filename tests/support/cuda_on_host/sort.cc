// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/sort.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace berth::batch {

std::size_t sort_space(std::size_t, std::size_t) { return 1; }

bool sort_rows(const std::uint64_t* keys, std::uint64_t* sorted_keys, const std::uint32_t* values,
               std::uint32_t* sorted_values, std::size_t rows, std::size_t length, void*, std::size_t) {
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

}  // namespace berth::batch
