// SPDX-License-Identifier: Apache-2.0
// NodeView: a node with what is known of its inputs, for rules that ask by position.
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

struct TensorList;  // model/shapes/tensorflow/lists.h

// What is known of values besides what stands in the model, while rules run.
struct KnownValues {
  std::unordered_map<ValueIndex, PartialNumbers> partial = {};
  std::unordered_map<ValueIndex, TensorList*> lists = {};  // that a value stands for
};

class NodeView {
 public:
  using Numbers = std::vector<std::int64_t>;

  NodeView(const Model& model, const Node& node, const KnownValues& known)
      : model_(model), node_(node), known_(known) {}

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const std::string& type() const { return node_.type; }
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

  // Of an input. Nothing where it is left out or not known.
  [[nodiscard]] const Shape* shape(std::size_t input) const { return shape_of(find(input)); }
  [[nodiscard]] std::optional<DType> dtype(std::size_t input) const {
    const Value* value = find(input);
    return value != nullptr ? value->dtype : std::nullopt;
  }
  // All of them known.
  [[nodiscard]] const Numbers* contents(std::size_t input) const {
    const Value* value = find(input);
    return value != nullptr && value->contents ? &*value->contents : nullptr;
  }
  // As far as they are known.
  [[nodiscard]] std::optional<PartialNumbers> partial(std::size_t input) const {
    if (const auto* whole = contents(input)) return PartialNumbers(whole->begin(), whole->end());
    const auto found = has(input) ? known_.partial.find(node_.inputs[input]) : known_.partial.end();
    return found != known_.partial.end() ? std::optional(found->second) : std::nullopt;
  }
  // The one number in it.
  [[nodiscard]] std::optional<std::int64_t> number(std::size_t input) const {
    const auto* whole = contents(input);
    return whole != nullptr && whole->size() == 1 ? std::optional(whole->front()) : std::nullopt;
  }
  // Of the first input that stands for one; else null.
  [[nodiscard]] TensorList* list() const {
    for (const ValueIndex input : node_.inputs) {
      const auto found = known_.lists.find(input);
      if (found != known_.lists.end()) return found->second;
    }
    return nullptr;
  }

  // Of an output, as far as it is known by now.
  [[nodiscard]] const Shape* output(std::size_t output) const {
    const bool is_there = output < node_.outputs.size() && node_.outputs[output] != kNoValue;
    return shape_of(is_there ? &model_.values[node_.outputs[output]] : nullptr);
  }

  // Attributes.
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const {
    return node_.integer(attribute, otherwise);
  }
  [[nodiscard]] bool is_set(std::string_view attribute) const { return node_.integer(attribute, 0) != 0; }
  [[nodiscard]] std::string_view text(std::string_view attribute) const {
    const auto* text = node_.find<std::string>(attribute);
    return text != nullptr ? std::string_view(*text) : std::string_view();
  }
  [[nodiscard]] const Numbers* integers(std::string_view attribute) const { return node_.find<Numbers>(attribute); }
  // A list of whole numbers, which old versions of an op have as an attribute and new ones as an input.
  [[nodiscard]] const Numbers* numbers(std::string_view attribute, std::size_t input) const {
    if (const auto* list = integers(attribute)) return list;
    return contents(input);
  }

 private:
  [[nodiscard]] const Value* find(std::size_t input) const {
    return has(input) ? &model_.values[node_.inputs[input]] : nullptr;
  }
  static const Shape* shape_of(const Value* value) {
    return value != nullptr && value->shape ? &*value->shape : nullptr;
  }

  const Model& model_;
  const Node& node_;
  const KnownValues& known_;
};

}  // namespace berth
