// SPDX-License-Identifier: Apache-2.0
// A number between 0 and 1 as sines and cosines, so that a linear layer can tell stretches of it apart.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace berth::learn {

inline constexpr std::array kWaveCounts{1.0F, 2.0F, 4.0F, 8.0F};
inline constexpr std::size_t kWaveColumns = 2 * kWaveCounts.size();

inline void put_waves(float value, float* to) {
  for (const float wave : kWaveCounts) {
    const float angle = 3.14159265F * wave * value;
    *to++ = std::sin(angle);
    *to++ = std::cos(angle);
  }
}

}  // namespace berth::learn
