// SPDX-License-Identifier: Apache-2.0
// OnnxView: a node with what is known of its inputs, for rules that ask by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace berth {

// Contents of a small tensor of whole numbers of which some are not known: the Shape of [?, 16, 64].
using PartialNumbers = std::vector<std::optional<std::int64_t>>;
// By value, besides those that have their contents in the model.
using PartialContents = std::unordered_map<ValueIndex, PartialNumbers>;

class OnnxView {
 public:
  OnnxView(const Model& model, const Node& node, const PartialContents& partial)
      : model_(model), node_(node), partial_(partial) {}

  [[nodiscard]] const Node& node() const { return node_; }
  // The node's, or if it has none that of its first output.
  [[nodiscard]] const std::string& name() const {
    const bool has_output = !node_.outputs.empty() && node_.outputs.front() != kNoValue;
    return node_.name.empty() && has_output ? model_.values[node_.outputs.front()].name : node_.name;
  }
  [[nodiscard]] std::size_t num_inputs() const { return node_.inputs.size(); }
  [[nodiscard]] std::size_t num_outputs() const { return node_.outputs.size(); }
  [[nodiscard]] bool has(std::size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input] != kNoValue;
  }

  // Nothing where the input is left out or not known.
  [[nodiscard]] const Shape* shape(std::size_t input) const {
    const Value* value = find(input);
    return value != nullptr && value->shape ? &*value->shape : nullptr;
  }
  [[nodiscard]] std::optional<DType> dtype(std::size_t input) const {
    const Value* value = find(input);
    return value != nullptr ? value->dtype : std::nullopt;
  }
  // All of them known.
  [[nodiscard]] const std::vector<std::int64_t>* contents(std::size_t input) const {
    const Value* value = find(input);
    return value != nullptr && value->contents ? &*value->contents : nullptr;
  }
  // As far as they are known.
  [[nodiscard]] std::optional<PartialNumbers> partial(std::size_t input) const {
    if (const auto* whole = contents(input)) return PartialNumbers(whole->begin(), whole->end());
    const auto found = has(input) ? partial_.find(node_.inputs[input]) : partial_.end();
    return found != partial_.end() ? std::optional(found->second) : std::nullopt;
  }
  // The one number in it.
  [[nodiscard]] std::optional<std::int64_t> number(std::size_t input) const {
    const auto* whole = contents(input);
    return whole != nullptr && whole->size() == 1 ? std::optional(whole->front()) : std::nullopt;
  }
  // A list of whole numbers, which old opsets give as an attribute and new ones as an input.
  [[nodiscard]] const std::vector<std::int64_t>* numbers(std::string_view attribute, std::size_t input) const {
    if (const auto* list = node_.find<std::vector<std::int64_t>>(attribute)) return list;
    return contents(input);
  }

 private:
  [[nodiscard]] const Value* find(std::size_t input) const {
    return has(input) ? &model_.values[node_.inputs[input]] : nullptr;
  }

  const Model& model_;
  const Node& node_;
  const PartialContents& partial_;
};

// Axis counted from the front; nothing if it is out of range.
inline std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

}  // namespace berth
