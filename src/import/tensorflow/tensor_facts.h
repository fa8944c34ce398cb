// SPDX-License-Identifier: Apache-2.0
// Shapes and constants of a file, without weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace berth::tensorflow {

// A constant without its weights.
struct TensorFacts {
  std::int64_t data_type = 0;
  std::optional<Shape> shape;
  std::optional<std::vector<std::int64_t>> contents;  // of at most kMostContents whole numbers
};
inline constexpr std::size_t kMostContents = 256;
inline constexpr std::size_t kMaxShapeRank = 32;
// Larger sizes are kept as kTooLarge, so that sums never overflow, and lower() refuses them.
inline constexpr std::int64_t kMaxDimSize = std::int64_t{1} << 40;

// A dimension of that size; unknown if it is negative.
inline Dim dim_of(std::int64_t size) { return size >= 0 ? Dim{size <= kMaxDimSize ? size : kTooLarge} : Dim{}; }

// From the bytes of a TensorShapeProto: none if not even the rank is known, or more than kMaxShapeRank.
std::optional<Shape> read_shape(std::string_view bytes);
TensorFacts read_tensor(std::string_view bytes);  // from a TensorProto

}  // namespace berth::tensorflow
