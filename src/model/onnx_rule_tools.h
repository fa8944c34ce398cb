// SPDX-License-Identifier: Apache-2.0
// What the rules for ONNX operators share: arithmetic on sizes that may be unknown, and broadcasting.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "model/onnx_rules.h"
#include "model/sizes.h"

namespace berth {

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;  // beyond any tensor, far from overflow

inline Dim known_dim(std::int64_t size) { return {size >= 0 && size <= kLargestSize ? size : -1, {}}; }
inline Dim unknown_dim() { return {}; }

// Unknown if one of them is, or if the result is beyond any tensor.
Dim sum_of(const Dim& a, const Dim& b);
Dim product_of(const Dim& a, const Dim& b);
Dim quotient_of(const Dim& a, std::int64_t by);  // also where it does not come out even

inline Outputs one(std::optional<DType> dtype, std::optional<Shape> shape) { return {{dtype, std::move(shape)}}; }

inline std::optional<Shape> copy_of(const Shape* shape) {
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

inline Shape all_unknown(std::size_t rank) { return Shape(rank, unknown_dim()); }

// A shape that a tensor holds; nothing if it says too little or too many dimensions.
std::optional<Shape> shape_in(const std::optional<PartialNumbers>& sizes);

Shape broadcast(const Shape& a, const Shape& b);

// What the file says of a value stays; what it leaves open is filled in. Not with more dimensions than a graph may
// have: a Gather of a tensor by itself doubles them, and a few of those would fill any memory.
void fill_in(Value& value, const Inferred& found);

// Open dimensions that have a name get its size. For subgraphs, which use the names of the graph around them.
void bind_symbols(Value& value, const DimSizes& symbols);

}  // namespace berth
