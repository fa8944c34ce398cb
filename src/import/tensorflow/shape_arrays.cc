// SPDX-License-Identifier: Apache-2.0
// Ops that keep their elements and change the shape around them, or make elements of a stated shape.
#include <algorithm>
#include <array>

#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

Shapes shape_in_first(const OpContext& op) { return one(stated_in(op, 0)); }
Shapes shape_in_second(const OpContext& op) { return one(stated_in(op, 1)); }
Shapes shape_in_third(const OpContext& op) { return one(stated_in(op, 2)); }

// The stated shape once for every set of parameters.
Shapes samples_of_each(const OpContext& op) {
  auto shape = stated_in(op, 0);
  const Shape* parameters = op.shape(1);
  if (!shape || parameters == nullptr || shape->size() + parameters->size() > kMaxShapeRank) return one(std::nullopt);
  shape->insert(shape->end(), parameters->begin(), parameters->end());
  return one(std::move(shape));
}

// The dimension of a Reshape that is -1: what remains of the input's elements.
Dim remaining(const Shape& input, const Shape& output) {
  Dim known_in{1}, known_out{1};
  std::vector<Dim> unknown;
  for (const Dim& dim : input) {
    if (dim.known()) {
      known_in = product(known_in, dim);
    } else {
      unknown.push_back(dim);
    }
  }
  for (const Dim& dim : output) {
    if (dim.known()) known_out = product(known_out, dim);
  }
  if (!known_in.known() || !known_out.known() || known_out.size == 0) return {};
  if (unknown.empty()) return known_in.size % known_out.size == 0 ? dim_of(known_in.size / known_out.size) : Dim{};
  return unknown.size() == 1 && known_in.size == known_out.size ? unknown.front() : Dim{};
}

Shapes reshape(const OpContext& op) {
  Shapes shapes = one(stated_in(op, 1));
  const auto* sizes = op.contents(1);
  if (sizes == nullptr || !shapes.front() || op.shape(0) == nullptr) return shapes;
  Shape& shape = *shapes.front();
  if (std::ranges::count(*sizes, -1) == 1) {
    shape[static_cast<std::size_t>(std::ranges::find(*sizes, -1) - sizes->begin())] = remaining(*op.shape(0), shape);
  }
  return shapes;
}

Shapes expand_dims(const OpContext& op) {
  const Shape* input = op.shape(0);
  const auto wanted = op.scalar(1);
  if (input == nullptr || !wanted || input->size() == kMaxShapeRank) return one(std::nullopt);
  const auto axis = axis_of(*wanted, input->size() + 1);
  if (!axis) return one(std::nullopt);
  Shape shape = *input;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Dim{1});
  return one(std::move(shape));
}

Shapes squeeze(const OpContext& op) {
  const Shape* input = op.shape(0);
  if (input == nullptr) return one(std::nullopt);
  auto wanted = op.attributes.integers("squeeze_dims");
  if (wanted.empty()) wanted = op.attributes.integers("axis");
  std::vector<char> removed(input->size(), 0);
  for (const std::int64_t number : wanted) {
    const auto axis = axis_of(number, input->size());
    if (!axis) return one(std::nullopt);
    removed[*axis] = 1;
  }
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const Dim& dim = (*input)[i];
    if (wanted.empty() && !dim.known()) return one(std::nullopt);
    if (wanted.empty() ? dim.size != 1 : removed[i] == 0) shape.push_back(dim);
  }
  return one(std::move(shape));
}

Shapes transpose(const OpContext& op) {
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

Shapes tile(const OpContext& op) {
  const Shape* input = op.shape(0);
  const auto* times = op.contents(1);
  if (input == nullptr) return one(std::nullopt);
  Shape shape(input->size());
  for (std::size_t i = 0; times != nullptr && times->size() == shape.size() && i < shape.size(); ++i) {
    shape[i] = product((*input)[i], dim_of((*times)[i]));
  }
  return one(std::move(shape));
}

Shapes padded(const OpContext& op, int sign) {
  const Shape* input = op.shape(0);
  const auto* paddings = op.contents(1);
  if (input == nullptr) return one(std::nullopt);
  Shape shape(input->size());
  for (std::size_t i = 0; paddings != nullptr && paddings->size() == 2 * shape.size() && i < shape.size(); ++i) {
    const Dim before = dim_of((*paddings)[2 * i]), after = dim_of((*paddings)[2 * i + 1]);
    const bool known = (*input)[i].known() && before.known() && after.known();
    if (known) shape[i] = dim_of((*input)[i].size + sign * (before.size + after.size));
  }
  return one(std::move(shape));
}
Shapes pad(const OpContext& op) { return padded(op, 1); }
Shapes pad_gradient(const OpContext& op) { return padded(op, -1); }

Shapes one_hot(const OpContext& op) {
  const Shape* indices = op.shape(0);
  if (indices == nullptr || indices->size() == kMaxShapeRank) return one(std::nullopt);
  const auto axis = axis_of(op.attributes.integer("axis").value_or(-1), indices->size() + 1);
  if (!axis) return one(std::nullopt);
  Shape shape = *indices;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), dim_of(op.scalar(1).value_or(-1)));
  return one(std::move(shape));
}

Shape rank_shape(const Shape* input) {
  return {input != nullptr ? Dim{static_cast<std::int64_t>(input->size())} : Dim{}};
}
Shapes shape_of(const OpContext& op) { return one(rank_shape(op.shape(0))); }
Shapes shapes_of(const OpContext& op) {
  Shapes shapes;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) shapes.emplace_back(rank_shape(op.shape(i)));
  return shapes;
}

// The shape that two broadcast to.
Shapes broadcast_shape(const OpContext& op) {
  const auto a = stated_in(op, 0), b = stated_in(op, 1);
  return one(Shape{a && b ? Dim{static_cast<std::int64_t>(std::max(a->size(), b->size()))} : Dim{}});
}

// The axes that the gradient of each of two inputs is summed over; contents say how many there are.
Shapes broadcast_axes(const OpContext& op) {
  Shapes shapes;
  for (const auto& axes : {broadcast_gradient_axes(op, 0), broadcast_gradient_axes(op, 1)}) {
    shapes.emplace_back(Shape{axes ? Dim{static_cast<std::int64_t>(axes->size())} : Dim{}});
  }
  return shapes;
}

Shapes each_of_them(const OpContext& op) {
  Shapes shapes;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) shapes.push_back(copy_of(op.shape(i)));
  return shapes;
}

Shapes stated_by_attribute(const OpContext& op) { return one(op.attributes.shape("shape")); }

// A matrix for every row, the row on its diagonal. The newer op can make others, too.
Shapes diagonal(const OpContext& op) {
  const Shape* input = op.shape(0);
  const bool is_main = op.type == "MatrixDiag" || op.scalar(1) == 0;
  if (input == nullptr || input->empty() || input->size() == kMaxShapeRank || !is_main) return one(std::nullopt);
  Shape shape = *input;
  shape.push_back(input->back());
  return one(std::move(shape));
}

// One number more than half of the last dimension, or of the length that is asked for; and the way back.
Shapes real_fourier(const OpContext& op) {
  const Shape* input = op.shape(0);
  if (input == nullptr || input->empty()) return one(std::nullopt);
  Shape shape = *input;
  const Dim length = dim_of(op.scalar(1).value_or(-1));
  shape.back() = op.type == "IRFFT" || !length.known() ? length : dim_of(length.size / 2 + 1);
  return one(std::move(shape));
}

Shapes evenly_spaced(const OpContext& op) { return one(Shape{dim_of(op.scalar(2).value_or(-1))}); }

Shapes range(const OpContext& op) {
  const auto start = op.scalar(0), limit = op.scalar(1), delta = op.scalar(2);
  if (!start || !limit || !delta || *delta == 0) return one(Shape(1));
  std::int64_t span = 0;
  if (*delta == INT64_MIN || __builtin_sub_overflow(*limit, *start, &span) || span == INT64_MIN) return one(Shape(1));
  if (*delta < 0) span = -span;
  const std::int64_t step = *delta < 0 ? -*delta : *delta;
  return one(Shape{span <= 0 ? Dim{0} : dim_of((span - 1) / step + 1)});
}

Shapes both_ways(const OpContext& op) { return Shapes(2, copy_of(op.shape(0))); }

// What is known on all ways that meet here.
Shapes merge(const OpContext& op) {
  std::optional<Shape> shape;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Shape* input = op.shape(i);
    if (input == nullptr || (shape && shape->size() != input->size())) return {std::nullopt, Shape()};
    if (!shape) shape = *input;
    for (std::size_t k = 0; k < shape->size(); ++k) {
      if ((*shape)[k] != (*input)[k]) (*shape)[k] = Dim{};
    }
  }
  return {std::move(shape), Shape()};
}

constexpr std::array kArrayRules{RuleRow{"Reshape", reshape},
                                 RuleRow{"ExpandDims", expand_dims},
                                 RuleRow{"Squeeze", squeeze},
                                 RuleRow{"Transpose", transpose},
                                 RuleRow{"ConjugateTranspose", transpose},
                                 RuleRow{"Tile", tile},
                                 RuleRow{"Pad", pad},
                                 RuleRow{"PadV2", pad},
                                 RuleRow{"MirrorPad", pad},
                                 RuleRow{"OneHot", one_hot},
                                 RuleRow{"Fill", shape_in_first},
                                 RuleRow{"RandomUniform", shape_in_first},
                                 RuleRow{"RandomUniformInt", shape_in_first},
                                 RuleRow{"RandomStandardNormal", shape_in_first},
                                 RuleRow{"TruncatedNormal", shape_in_first},
                                 RuleRow{"ParameterizedTruncatedNormal", shape_in_first},
                                 RuleRow{"StatelessRandomUniform", shape_in_first},
                                 RuleRow{"StatelessRandomUniformV2", shape_in_first},
                                 RuleRow{"StatelessRandomNormal", shape_in_first},
                                 RuleRow{"StatelessRandomNormalV2", shape_in_first},
                                 RuleRow{"StatelessTruncatedNormal", shape_in_first},
                                 RuleRow{"StatelessTruncatedNormalV2", shape_in_first},
                                 RuleRow{"RandomGamma", samples_of_each},
                                 RuleRow{"RandomPoissonV2", samples_of_each},
                                 RuleRow{"Empty", shape_in_first},
                                 RuleRow{"StridedSliceGrad", shape_in_first},
                                 RuleRow{"BroadcastTo", shape_in_second},
                                 RuleRow{"SparseToDense", shape_in_second},
                                 RuleRow{"ScatterNd", shape_in_third},
                                 RuleRow{"ParallelConcat", stated_by_attribute},
                                 RuleRow{"MatrixDiag", diagonal},
                                 RuleRow{"MatrixDiagV3", diagonal},
                                 RuleRow{"RFFT", real_fourier},
                                 RuleRow{"IRFFT", real_fourier},
                                 RuleRow{"LinSpace", evenly_spaced},
                                 RuleRow{"MirrorPadGrad", pad_gradient},
                                 RuleRow{"IdentityN", each_of_them},
                                 RuleRow{"BroadcastArgs", broadcast_shape},
                                 RuleRow{"BroadcastGradientArgs", broadcast_axes},
                                 RuleRow{"Shape", shape_of},
                                 RuleRow{"VariableShape", shape_of},
                                 RuleRow{"ShapeN", shapes_of},
                                 RuleRow{"Range", range},
                                 RuleRow{"Switch", both_ways},
                                 RuleRow{"RefSwitch", both_ways},
                                 RuleRow{"Merge", merge},
                                 RuleRow{"RefMerge", merge}};

}  // namespace

std::span<const RuleRow> array_rules() { return kArrayRules; }

}  // namespace berth::tensorflow
