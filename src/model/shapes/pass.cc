// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/shapes/dims.h"

namespace berth {

void fill_in(Value& value, const Inferred& found) {
  if (!value.dtype) value.dtype = found.dtype;
  if (!found.shape || found.shape->size() > kMostAxes) return;
  if (!value.shape) value.shape = found.shape;
  if (value.shape->size() != found.shape->size()) return;
  for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
    if (!(*value.shape)[axis].known()) (*value.shape)[axis] = (*found.shape)[axis];
  }
}

void bind_symbols(Value& value, const DimSizes& symbols) {
  if (!value.shape) return;
  for (Dim& dim : *value.shape) {
    if (dim.known() || dim.symbol.empty()) continue;
    if (const auto found = symbols.find(dim.symbol); found != symbols.end()) dim.size = found->second;
  }
}

void forget_inferred(Model& model, const std::vector<Value>& stated) {
  for (std::size_t i = 0; i < model.values.size(); ++i) {
    Value& value = model.values[i];
    value.shape = i < stated.size() ? stated[i].shape : std::nullopt;
    value.contents = i < stated.size() ? stated[i].contents : std::nullopt;
  }
}

void ShapePass::visit(Node& node) {
  const NodeView view(model_, node, known);
  fill_outputs(node, rules_.outputs(view));
  if (rules_.contents == nullptr) return;
  const std::vector<Contents> contents = rules_.contents(view);
  for (std::size_t i = 0; i < std::min(contents.size(), node.outputs.size()); ++i) {
    const ValueIndex output = node.outputs[i];
    if (contents[i] && output != kNoValue && !model_.values[output].contents) keep_contents(output, *contents[i]);
  }
}

void ShapePass::fill_outputs(Node& node, const Outputs& outputs) {
  for (std::size_t i = node.outputs.size(); adds_values && i < outputs.size(); ++i) {
    node.outputs.push_back(model_.add({.name = fmt::format("{}:{}", node.name, i)}));
  }
  for (std::size_t i = 0; i < std::min(outputs.size(), node.outputs.size()); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    Value& value = model_.values[node.outputs[i]];
    fill_in(value, outputs[i]);
    if (!outputs[i].opens.empty() && value.shape) bind_open_sizes(value, outputs[i].opens);
  }
}

void ShapePass::bind_open_sizes(Value& value, const std::string& name) {
  const auto given = given_.find(name);
  for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
    Dim& dim = (*value.shape)[axis];
    if (dim.known() || dim.symbol != name) continue;
    dim.size = given != given_.end() ? given->second : 1;
    model_.open_sizes.push_back({name, dim.size, fmt::format("{}[{}]", value.name, axis)});
  }
}

void ShapePass::keep_contents(ValueIndex index, const PartialNumbers& numbers) {
  Value& value = model_.values[index];
  fill_in(value, {std::nullopt, Shape{known_dim(static_cast<std::int64_t>(numbers.size()))}});
  std::vector<std::int64_t> whole;
  for (const auto& number : numbers) {
    if (number) whole.push_back(*number);
  }
  if (whole.size() == numbers.size()) {
    value.contents = std::move(whole);
  } else {
    known.partial[index] = numbers;
  }
}

}  // namespace berth
