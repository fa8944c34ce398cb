// SPDX-License-Identifier: Apache-2.0
// Shapes of what an op makes, from the shapes of its inputs and the contents of small whole-number ones. Rules say
// nothing (an empty list) where they do not know; a mistake in a file makes a shape unknown, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/tensorflow/attributes.h"
#include "model/model.h"

namespace berth::tensorflow {

// A list of tensors (TensorListReserve, TensorArrayV3 and their kin), which handles and flows stand for. What is known
// of one holds at every op that has to do with it: a loop that is cut fills the list behind the back of its readers.
struct ListFacts {
  std::optional<Shape> element = {};  // of each of its tensors
  std::vector<char> settled = {};     // per dimension of it: the file says it, or tensors differ in it
  std::optional<std::int64_t> length = {};

  // Of a list whose maker states so much.
  static ListFacts stated(std::optional<Shape> shape, std::optional<std::int64_t> count);
  // Adds what one of its tensors tells. Returns whether that is news.
  bool learn(const Shape& tensor);
};

// What is known of one tensor.
struct Facts {
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
  std::optional<std::vector<std::int64_t>> contents = {};  // of small whole numbers that are known before the step
  ListFacts* list = nullptr;                               // that it stands for, if any
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
  // Of the first input that stands for one.
  [[nodiscard]] ListFacts* list() const {
    for (const Facts* input : inputs) {
      if (input->list != nullptr) return input->list;
    }
    return nullptr;
  }
};

using Shapes = std::vector<std::optional<Shape>>;  // per output

bool has_shape_rule(std::string_view type);
Shapes output_shapes(const OpContext& op);
std::optional<DType> output_dtype(const OpContext& op, std::size_t output);
// Of an output whose shape is known.
std::optional<std::vector<std::int64_t>> output_contents(const OpContext& op, std::size_t output, const Shape& shape);

// Lists (shape_lists.cc).
std::optional<ListFacts> made_list(const OpContext& op);    // if the op makes one
bool passes_list_on(std::string_view type);                 // its outputs stand for the list of its inputs
std::optional<Shape> put_into_list(const OpContext& op);    // shape of a tensor that it adds
bool is_handle(std::string_view type, std::size_t output);  // of a list: no tensor, so it has no data type

}  // namespace berth::tensorflow
