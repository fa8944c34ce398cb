// SPDX-License-Identifier: Apache-2.0
// Priorities that every plan has for itself, as keys that ascend with the place of an op. Whole numbers of a small
// range are keys of 16 bits: a quarter to upload, and far less to sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace berth::batch {

inline constexpr double kMostSmall = 65535;

// What is added to priorities to make them small numbers from 0 on, by those of one plan.
inline double bias_of(const double* priorities, std::size_t count) {
  const auto [least, most] = std::minmax_element(priorities, priorities + count);
  if (*least >= 0) return 0;
  return *most > 0 ? kMostSmall / 2 + 0.5 : kMostSmall;
}

// False if one of them is no such number.
inline bool pack_small(const double* priorities, std::size_t count, double bias, std::uint16_t* keys) {
  bool all_fit = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double shifted = priorities[i] + bias;
    const std::int32_t whole = shifted >= 0 && shifted <= kMostSmall ? static_cast<std::int32_t>(shifted) : -1;
    all_fit = all_fit && static_cast<double>(whole) == shifted;
    keys[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(kMostSmall) - whole);
  }
  return all_fit;
}

inline void pack_small(const std::uint16_t* priorities, std::size_t count, std::uint16_t* keys) {
  for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint16_t>(0xffffU - priorities[i]);
}

}  // namespace berth::batch
