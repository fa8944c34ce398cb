// SPDX-License-Identifier: Apache-2.0
// Rules for the outputs of about 390 common ops of TensorFlow, by theme: each stands with its rows in the rules_*.cc of
// that name. They start from variables, placeholders and small constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/shapes/dims.h"
#include "model/shapes/rules.h"

namespace berth::tensorflow {

std::span<const RuleRow> elementwise_rules();  // and whatever else has the shape of its input
std::span<const RuleRow> array_rules();        // ops that move elements around
std::span<const RuleRow> slicing_rules();      // parts, joins and reductions
std::span<const RuleRow> layer_rules();        // matrix products, convolutions, normalisations, losses
std::span<const RuleRow> cell_rules();         // recurrent cells and whole recurrent layers
std::span<const RuleRow> image_rules();        // resizing, and blocks of pixels
std::span<const RuleRow> selection_rules();    // how many they give depends on the data
std::span<const RuleRow> list_rules();         // lists and arrays of tensors

// Those of all of them, the types of outputs (types.h) and what is known of contents (contents.h).
const DialectRules& tensorflow_rules();

bool has_shape_rule(std::string_view type);

// What the rules share.

inline constexpr std::size_t kMostOutputs = 65'535;

inline Outputs one(std::optional<Shape> shape) { return {std::move(shape)}; }

// The shape that an input states as a list of sizes; of an unknown list the rank, if that is known. A single number in
// place of a list says nothing, as TensorFlow has it.
std::optional<Shape> stated_in(const NodeView& op, std::size_t input);
// The one that an attribute states.
std::optional<Shape> stated_by(const NodeView& op, std::string_view attribute);
// Whole numbers of an attribute, none if it is missing.
std::vector<std::int64_t> list_of(const NodeView& op, std::string_view attribute);
// The first shape, with dimensions that only the second knows.
std::optional<Shape> completed(std::optional<Shape> stated, const std::optional<Shape>& inferred);
// `first`, then the dimensions of `shape` from number `from` on. None if `shape` is not known or has fewer.
std::optional<Shape> with_first(const Dim& first, const Shape* shape, std::size_t from);
Shape shape_from(std::span<const std::int64_t> sizes);  // negative ones are unknown

inline bool has_channels_first(const NodeView& op) { return op.text("data_format").starts_with("NC"); }
inline std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

}  // namespace berth::tensorflow
