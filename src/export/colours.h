// SPDX-License-Identifier: Apache-2.0
// Colours of devices in pictures: one each, told apart by people who see red and green alike (after Okabe and Ito).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace berth {

inline std::string_view colour_of(std::size_t device) {
  constexpr std::array<std::string_view, 8> kColours{"#d9d9d9", "#56b4e9", "#e69f00", "#009e73",
                                                     "#f0e442", "#cc79a7", "#0072b2", "#d55e00"};
  return kColours[device % kColours.size()];
}

}  // namespace berth
