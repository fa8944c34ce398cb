// SPDX-License-Identifier: Apache-2.0
// Shapes of what an op makes, from the shapes of its inputs and the contents of small whole-number ones. Rules say
// nothing (an empty list) where they do not know; a mistake in a file makes a shape unknown, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/tensorflow/attributes.h"
#include "model/model.h"

namespace berth::tensorflow {

// What is known of one tensor.
struct Facts {
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
  std::optional<std::vector<std::int64_t>> contents = {};  // of small whole numbers that are known before the step
};

// An op whose shapes are wanted.
struct OpContext {
  std::string_view type;
  Attributes attributes;
  std::vector<const Facts*> inputs;

  [[nodiscard]] const Shape* shape(std::size_t input) const {
    const bool known = input < inputs.size() && inputs[input]->shape;
    return known ? &*inputs[input]->shape : nullptr;
  }
  [[nodiscard]] const std::vector<std::int64_t>* contents(std::size_t input) const {
    const bool known = input < inputs.size() && inputs[input]->contents;
    return known ? &*inputs[input]->contents : nullptr;
  }
  [[nodiscard]] std::optional<std::int64_t> scalar(std::size_t input) const {
    const auto* numbers = contents(input);
    return numbers != nullptr && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
  }
};

using Shapes = std::vector<std::optional<Shape>>;  // per output

Shapes output_shapes(const OpContext& op);
std::optional<DType> output_dtype(const OpContext& op, std::size_t output);
// Of the first output; its shape is known.
std::optional<std::vector<std::int64_t>> output_contents(const OpContext& op, const Shape& shape);

}  // namespace berth::tensorflow
