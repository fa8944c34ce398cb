// SPDX-License-Identifier: Apache-2.0
// Attributes of nodes, read from the file's bytes when asked for. One of another type counts as missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/tensorflow/graph_def.h"
#include "import/tensorflow/tensor_facts.h"
#include "model/model.h"

namespace berth::tensorflow {

// What the placeholders in the attributes of a function's nodes stand for: the attributes of its call.
struct Bindings {
  RawAttributes attributes;
  const Bindings* outer = nullptr;  // of the function in which the call stands
};

// A function that an attribute names, with attributes for its nodes.
struct FunctionName {
  std::string_view name;
  RawAttributes attributes;
};

class Attributes {
 public:
  explicit Attributes(const NodeDef& node, const Bindings* bindings = nullptr) : node_(&node), bindings_(bindings) {}

  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;  // false if missing
  [[nodiscard]] std::string_view string(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> data_type(std::string_view name) const;
  [[nodiscard]] std::optional<Shape> shape(std::string_view name) const;
  [[nodiscard]] std::optional<TensorFacts> tensor(std::string_view name) const;
  [[nodiscard]] std::optional<FunctionName> function(std::string_view name) const;

  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> strings(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> data_types(std::string_view name) const;
  [[nodiscard]] std::vector<std::optional<Shape>> shapes(std::string_view name) const;
  [[nodiscard]] std::vector<FunctionName> functions(std::string_view name) const;

  // Name of the first attribute that holds a function, empty if none does.
  [[nodiscard]] std::string_view first_function() const;
  // Those that a model can hold: numbers, words, lists of them, shapes as lists, types by our name. Lists of the types
  // of all outputs become one, kOutputTypes (model/shapes/tensorflow/types.h).
  [[nodiscard]] std::vector<std::pair<std::string, Attribute>> for_model() const;

 private:
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] std::string_view resolve(std::string_view value) const;

  const NodeDef* node_;
  const Bindings* bindings_;
};

}  // namespace berth::tensorflow
