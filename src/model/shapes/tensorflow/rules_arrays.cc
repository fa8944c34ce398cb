// SPDX-License-Identifier: Apache-2.0
// Ops that keep their elements and change the shape around them, or make elements of a stated shape.
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <array>

#include "model/shapes/arrange.h"
#include "model/shapes/dims.h"
#include "model/shapes/tensorflow/contents.h"

namespace berth::tensorflow {
namespace {

Outputs shape_in_first(const NodeView& op) { return one(stated_in(op, 0)); }
Outputs shape_in_second(const NodeView& op) { return one(stated_in(op, 1)); }
Outputs shape_in_third(const NodeView& op) { return one(stated_in(op, 2)); }

// The stated shape once for every set of parameters.
Outputs samples_of_each(const NodeView& op) {
  auto shape = stated_in(op, 0);
  const Shape* parameters = op.shape(1);
  if (!shape || parameters == nullptr || shape->size() + parameters->size() > kMostAxes) return one(std::nullopt);
  shape->insert(shape->end(), parameters->begin(), parameters->end());
  return one(std::move(shape));
}

// One size may be -1: what remains of the input's elements.
Outputs reshape(const NodeView& op) {
  auto wanted = stated_in(op, 1);
  const auto* sizes = op.contents(1);
  if (sizes == nullptr || !wanted || op.shape(0) == nullptr) return one(std::move(wanted));
  if (std::ranges::count(*sizes, -1) == 1) {
    const auto open = static_cast<std::size_t>(std::ranges::find(*sizes, -1) - sizes->begin());
    (*wanted)[open] = left_over(*op.shape(0), without_axis(*wanted, open));
  }
  return one(std::move(wanted));
}

Outputs expand_dims(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto wanted = op.number(1);
  if (input == nullptr || !wanted || input->size() == kMostAxes) return one(std::nullopt);
  const auto axis = axis_of(*wanted, input->size() + 1);
  if (!axis) return one(std::nullopt);
  return one(with_axis(*input, *axis, Dim{1}));
}

Outputs squeeze(const NodeView& op) {
  const Shape* input = op.shape(0);
  if (input == nullptr) return one(std::nullopt);
  auto wanted = list_of(op, "squeeze_dims");
  if (wanted.empty()) wanted = list_of(op, "axis");
  std::vector<bool> removed(input->size(), false);
  for (std::size_t i = 0; wanted.empty() && i < input->size(); ++i) {
    if (!(*input)[i].known()) return one(std::nullopt);
    removed[i] = (*input)[i].size == 1;
  }
  for (const std::int64_t number : wanted) {
    const auto axis = axis_of(number, input->size());
    if (!axis) return one(std::nullopt);
    removed[*axis] = true;
  }
  return one(reduced(*input, removed, false));
}

Outputs transpose(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto* order = op.contents(1);
  if (input == nullptr) return one(std::nullopt);
  if (order == nullptr || order->size() != input->size()) return one(Shape(input->size()));
  Shape shape;
  for (const std::int64_t number : *order) {
    const auto axis = axis_of(number, input->size());
    shape.push_back(axis ? (*input)[*axis] : Dim{});
  }
  return one(std::move(shape));
}

Outputs tile(const NodeView& op) {
  const Shape* input = op.shape(0);
  const auto* times = op.contents(1);
  if (input == nullptr) return one(std::nullopt);
  Shape shape(input->size());
  for (std::size_t i = 0; times != nullptr && times->size() == shape.size() && i < shape.size(); ++i) {
    shape[i] = product_of((*input)[i], known_dim((*times)[i]));
  }
  return one(std::move(shape));
}

Outputs padded(const NodeView& op, int sign) {
  const Shape* input = op.shape(0);
  const auto* paddings = op.contents(1);
  if (input == nullptr) return one(std::nullopt);
  Shape shape(input->size());
  for (std::size_t i = 0; paddings != nullptr && paddings->size() == 2 * shape.size() && i < shape.size(); ++i) {
    const Dim before = known_dim((*paddings)[2 * i]), after = known_dim((*paddings)[2 * i + 1]);
    const bool known = (*input)[i].known() && before.known() && after.known();
    if (known) shape[i] = known_dim((*input)[i].size + sign * (before.size + after.size));
  }
  return one(std::move(shape));
}
Outputs pad(const NodeView& op) { return padded(op, 1); }
Outputs pad_gradient(const NodeView& op) { return padded(op, -1); }

Outputs one_hot(const NodeView& op) {
  const Shape* indices = op.shape(0);
  if (indices == nullptr || indices->size() == kMostAxes) return one(std::nullopt);
  const auto axis = axis_of(op.integer("axis", -1), indices->size() + 1);
  if (!axis) return one(std::nullopt);
  return one(with_axis(*indices, *axis, known_dim(op.number(1).value_or(-1))));
}

Shape rank_shape(const Shape* input) {
  return {input != nullptr ? Dim{static_cast<std::int64_t>(input->size())} : Dim{}};
}
Outputs shape_of(const NodeView& op) { return one(rank_shape(op.shape(0))); }
Outputs shapes_of(const NodeView& op) {
  Outputs shapes;
  for (std::size_t i = 0; i < op.num_inputs(); ++i) shapes.emplace_back(rank_shape(op.shape(i)));
  return shapes;
}

// The shape that two broadcast to.
Outputs broadcast_shape(const NodeView& op) {
  const auto a = stated_in(op, 0), b = stated_in(op, 1);
  return one(Shape{a && b ? Dim{static_cast<std::int64_t>(std::max(a->size(), b->size()))} : Dim{}});
}

// The axes that the gradient of each of two inputs is summed over; contents say how many there are.
Outputs broadcast_axes(const NodeView& op) {
  Outputs shapes;
  for (const auto& axes : {broadcast_gradient_axes(op, 0), broadcast_gradient_axes(op, 1)}) {
    shapes.emplace_back(Shape{axes ? Dim{static_cast<std::int64_t>(axes->size())} : Dim{}});
  }
  return shapes;
}

Outputs each_of_them(const NodeView& op) {
  Outputs shapes;
  for (std::size_t i = 0; i < op.num_inputs(); ++i) shapes.push_back(copy_of(op.shape(i)));
  return shapes;
}

Outputs stated_by_attribute(const NodeView& op) { return one(stated_by(op, "shape")); }

// A matrix for every row, the row on its diagonal. The newer op can make others, too.
Outputs diagonal(const NodeView& op) {
  const Shape* input = op.shape(0);
  const bool is_main = op.type() == "MatrixDiag" || op.number(1) == 0;
  if (input == nullptr || input->empty() || input->size() == kMostAxes || !is_main) return one(std::nullopt);
  Shape shape = *input;
  shape.push_back(input->back());
  return one(std::move(shape));
}

// One number more than half of the last dimension, or of the length that is asked for; and the way back.
Outputs real_fourier(const NodeView& op) {
  const Shape* input = op.shape(0);
  if (input == nullptr || input->empty()) return one(std::nullopt);
  Shape shape = *input;
  const Dim length = known_dim(op.number(1).value_or(-1));
  shape.back() = op.type() == "IRFFT" || !length.known() ? length : known_dim(length.size / 2 + 1);
  return one(std::move(shape));
}

Outputs evenly_spaced(const NodeView& op) { return one(Shape{known_dim(op.number(2).value_or(-1))}); }

Outputs range(const NodeView& op) {
  const auto start = op.number(0), limit = op.number(1), delta = op.number(2);
  return one(Shape{start && limit && delta ? range_length(*start, *limit, *delta) : unknown_dim()});
}

Outputs both_ways(const NodeView& op) { return Outputs(2, copy_of(op.shape(0))); }

// What is known on all ways that meet here.
Outputs merge(const NodeView& op) {
  std::optional<Shape> shape;
  for (std::size_t i = 0; i < op.num_inputs(); ++i) {
    const Shape* input = op.shape(i);
    if (input == nullptr || (shape && shape->size() != input->size())) return {Inferred(), Shape()};
    if (!shape) shape = *input;
    for (std::size_t k = 0; k < shape->size(); ++k) {
      if ((*shape)[k] != (*input)[k]) (*shape)[k] = Dim{};
    }
  }
  return {std::move(shape), Shape()};
}

constexpr std::array kArraysRules{
    RuleRow{"Reshape", reshape},
    RuleRow{"ExpandDims", expand_dims},
    RuleRow{"Squeeze", squeeze},
    RuleRow{"Transpose ConjugateTranspose", transpose},
    RuleRow{"Tile", tile},
    RuleRow{"Pad PadV2 MirrorPad", pad},
    RuleRow{"OneHot", one_hot},
    RuleRow{"Fill RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal "
            "ParameterizedTruncatedNormal StatelessRandomUniform StatelessRandomUniformV2 "
            "StatelessRandomNormal StatelessRandomNormalV2 StatelessTruncatedNormal "
            "StatelessTruncatedNormalV2 Empty StridedSliceGrad",
            shape_in_first},
    RuleRow{"RandomGamma RandomPoissonV2", samples_of_each},
    RuleRow{"BroadcastTo SparseToDense", shape_in_second},
    RuleRow{"ScatterNd", shape_in_third},
    RuleRow{"ParallelConcat", stated_by_attribute},
    RuleRow{"MatrixDiag MatrixDiagV3", diagonal},
    RuleRow{"RFFT IRFFT", real_fourier},
    RuleRow{"LinSpace", evenly_spaced},
    RuleRow{"MirrorPadGrad", pad_gradient},
    RuleRow{"IdentityN", each_of_them},
    RuleRow{"BroadcastArgs", broadcast_shape},
    RuleRow{"BroadcastGradientArgs", broadcast_axes},
    RuleRow{"Shape VariableShape", shape_of},
    RuleRow{"ShapeN", shapes_of},
    RuleRow{"Range", range},
    RuleRow{"Switch RefSwitch", both_ways},
    RuleRow{"Merge RefMerge", merge},
};

}  // namespace

std::span<const RuleRow> array_rules() { return kArraysRules; }

}  // namespace berth::tensorflow
