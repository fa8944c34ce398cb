// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/window.h"

#include "model/model.h"

namespace berth {

std::int64_t slide(std::int64_t length, const SlidingWindow& window, Padding padding, Rounding rounding) {
  if (length < 0 || !window.is_sane()) return -1;
  if (length > kLargestWindow) return kTooLarge;
  if (padding == Padding::kSame) return (length + window.stride - 1) / window.stride;
  const bool is_padded = padding == Padding::kStated;
  const std::int64_t room = length + (is_padded ? window.pad_begin + window.pad_end : 0) - window.reach();
  if (room < 0) return 0;
  if (rounding == Rounding::kDown) return room / window.stride + 1;
  const std::int64_t places = (room + window.stride - 1) / window.stride + 1;
  const bool is_behind = (places - 1) * window.stride >= length + (is_padded ? window.pad_begin : 0);
  return rounding == Rounding::kUpInside && is_behind ? places - 1 : places;
}

std::int64_t spread(std::int64_t length, const SlidingWindow& window, Padding padding, std::int64_t extra) {
  if (length < 0 || !window.is_sane()) return -1;
  if (length >= kLargestWindow / window.stride) return kTooLarge;
  if (padding == Padding::kSame) return length * window.stride;
  const std::int64_t pads = padding == Padding::kStated ? window.pad_begin + window.pad_end : 0;
  return (length - 1) * window.stride + window.reach() + extra - pads;
}

}  // namespace berth
