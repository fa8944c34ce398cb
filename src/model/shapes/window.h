// SPDX-License-Identifier: Apache-2.0
// Windows that slide along an axis (convolutions, pools) or spread along it (transposed convolutions): the length of
// what they make. For the rules of every format that states windows.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace berth {

inline constexpr std::int64_t kLargestWindow = std::int64_t{1} << 40;  // keeps sums of a few sizes far from overflow

// Stride, dilation and padding along one axis.
struct SlidingWindow {
  std::int64_t size = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  [[nodiscard]] std::int64_t reach() const { return (size - 1) * dilation + 1; }
  [[nodiscard]] bool is_sane() const {
    return size > 0 && stride > 0 && dilation > 0 && size < kLargestWindow / dilation &&
           std::abs(pad_begin) < kLargestWindow && std::abs(pad_end) < kLargestWindow;
  }
};

enum class Padding : std::uint8_t {
  kStated,  // by the window
  kNone,
  kSame,  // as much as makes the length that of the input over the stride, or of the output times it
};

enum class Rounding : std::uint8_t {
  kDown,
  kUp,
  kUpInside,  // but no window begins behind the input
};

// Number of places of a window along `length`; 0 if it does not fit, -1 where a number makes no sense, kTooLarge where
// the length is beyond kLargestWindow.
std::int64_t slide(std::int64_t length, const SlidingWindow& window, Padding padding,
                   Rounding rounding = Rounding::kDown);

// Length that windows at `length` places cover, with `extra` behind; -1 or less where a number makes no sense,
// kTooLarge as above.
std::int64_t spread(std::int64_t length, const SlidingWindow& window, Padding padding, std::int64_t extra = 0);

}  // namespace berth
