// SPDX-License-Identifier: Apache-2.0
// Priorities that every plan has for itself, as keys that ascend with the place of an op. Whole numbers of a small
// range are keys of 16 bits: a quarter to upload, and far less to sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace berth::batch {

struct KeyForm {
  bool is_short = false;
  double bias = 0;  // what is added to priorities to make them numbers from 0 to 65535
};

inline constexpr std::int32_t kMostShort = 65535;

// By the priorities of one plan.
inline double bias_of(const double* priorities, std::size_t count) {
  const auto [least, most] = std::minmax_element(priorities, priorities + count);
  if (count == 0 || *least >= 0) return 0;
  return *most > 0 ? kMostShort / 2 + 1 : kMostShort;
}

// False if one of them is no such number. What comes near to one is none: 1e-20 is more than 0.
inline bool write_short_keys(const double* priorities, std::size_t count, double bias, std::uint16_t* keys) {
  bool all_fit = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double shifted = priorities[i] + bias;
    const bool is_in_range = shifted >= 0 && shifted <= kMostShort;
    const std::int32_t whole = is_in_range ? static_cast<std::int32_t>(shifted) : 0;
    all_fit = all_fit && is_in_range && static_cast<double>(whole) - bias == priorities[i];
    keys[i] = static_cast<std::uint16_t>(kMostShort - whole);
  }
  return all_fit;
}

}  // namespace berth::batch
