// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <string>

#include "model/shapes/tensorflow/contents.h"
#include "model/shapes/tensorflow/types.h"

namespace berth::tensorflow {
namespace {

const RuleTable& tensorflow_table() {
  static const RuleTable table{elementwise_rules(), array_rules(), slicing_rules(),   layer_rules(),
                               cell_rules(),        image_rules(), selection_rules(), list_rules()};
  return table;
}

Outputs outputs_of_tensorflow(const NodeView& op) {
  const Rule rule = tensorflow_table().find(op.type());
  Outputs outputs = rule != nullptr ? rule(op) : Outputs();
  outputs.resize(std::max(outputs.size(), op.num_outputs()));
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].dtype = dtype_of_output(op.node(), i, op.dtype(0));
  return outputs;
}

}  // namespace

const DialectRules& tensorflow_rules() {
  static constexpr DialectRules kRules{outputs_of_tensorflow, compute_contents};
  return kRules;
}

bool has_shape_rule(std::string_view type) { return tensorflow_table().find(std::string(type)) != nullptr; }

Shape shape_from(std::span<const std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back(known_dim(size));
  return shape;
}

std::optional<Shape> stated_in(const NodeView& op, std::size_t input) {
  const Shape* list = op.shape(input);
  if (list == nullptr || list->size() != 1) return std::nullopt;
  if (const auto* sizes = op.contents(input)) {
    return sizes->size() <= kMostAxes ? std::optional(shape_from(*sizes)) : std::nullopt;
  }
  const Dim& rank = list->front();
  const bool is_known = rank.known() && rank.size <= static_cast<std::int64_t>(kMostAxes);
  return is_known ? std::optional(Shape(static_cast<std::size_t>(rank.size))) : std::nullopt;
}

std::optional<Shape> stated_by(const NodeView& op, std::string_view attribute) {
  const auto* sizes = op.integers(attribute);
  return sizes != nullptr && sizes->size() <= kMostAxes ? std::optional(shape_from(*sizes)) : std::nullopt;
}

std::vector<std::int64_t> list_of(const NodeView& op, std::string_view attribute) {
  const auto* numbers = op.integers(attribute);
  return numbers != nullptr ? *numbers : std::vector<std::int64_t>();
}

std::optional<Shape> completed(std::optional<Shape> stated, const std::optional<Shape>& inferred) {
  if (!stated) return inferred;
  if (!inferred || inferred->size() != stated->size()) return stated;
  for (std::size_t i = 0; i < stated->size(); ++i) {
    Dim& dim = (*stated)[i];
    if (!dim.known() && ((*inferred)[i].known() || dim.symbol.empty())) dim = (*inferred)[i];
  }
  return stated;
}

std::optional<Shape> with_first(const Dim& first, const Shape* shape, std::size_t from) {
  if (shape == nullptr || shape->size() < from || shape->size() - from >= kMostAxes) return std::nullopt;
  Shape result{first};
  result.insert(result.end(), shape->begin() + offset(from), shape->end());
  return result;
}

}  // namespace berth::tensorflow
