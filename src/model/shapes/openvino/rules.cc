// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/openvino/rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/shapes/arrange.h"
#include "model/shapes/openvino/windows.h"

namespace berth::openvino {
namespace {

constexpr std::size_t kMostInputs = 8;   // that sizes are looked for in: a layer may have millions
constexpr std::size_t kMostOutputs = 2;  // of a window: a pool also tells the places of its maxima

using Sizes = std::vector<Dim>;  // for every axis of an output; one without a name where the inputs do not tell

// Whether the file leaves it open; it may have a size by now.
bool is_dynamic(const Dim& dim) { return !dim.symbol.empty(); }
bool is_open(const Dim& dim) { return !dim.known(); }

// A shape whose rank is not known says as little as a scalar's.
const Shape& input_shape(const NodeView& layer, std::size_t input) {
  static const Shape kNone;
  return layer.shape(input) != nullptr ? *layer.shape(input) : kNone;
}

ShapeList inputs_of(const NodeView& layer) {
  const auto own = static_cast<std::size_t>(
      layer.integer(kOwnInputs, static_cast<std::int64_t>(std::min(layer.num_inputs(), kMostInputs))));
  ShapeList inputs;
  for (std::size_t i = 0; i < std::min(own, kMostInputs); ++i) inputs.push_back(&input_shape(layer, i));
  return inputs;
}

const Dim* from_the_end(const Shape& shape, std::size_t back) {
  return back <= shape.size() ? &shape[shape.size() - back] : nullptr;
}

// The dynamic size that some input has at the axis so many places before the end.
Dim dynamic_at(const ShapeList& inputs, std::size_t back) {
  for (const Shape* shape : inputs) {
    const Dim* dim = from_the_end(*shape, back);
    if (dim != nullptr && is_dynamic(*dim)) return *dim;
  }
  return {};
}

std::vector<const Dim*> dynamic_sizes(const ShapeList& inputs) {
  std::vector<const Dim*> sizes;
  for (const Shape* shape : inputs) {
    for (const Dim& dim : *shape) {
      if (is_dynamic(dim)) sizes.push_back(&dim);
    }
  }
  return sizes;
}

// Of all inputs, or if there are too many for that, of the first: what an index picks from it is taken for all of it.
Sizes sizes_in_order(const ShapeList& inputs, const Shape& output) {
  Sizes sizes(output.size());
  const auto unknown = static_cast<std::size_t>(std::ranges::count_if(output, is_open));
  std::vector<const Dim*> found = dynamic_sizes(inputs);
  if (found.size() > unknown) found = dynamic_sizes({inputs.front()});
  if (found.size() != unknown) return sizes;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    if (is_open(output[axis])) sizes[axis] = *found[next++];
  }
  return sizes;
}

Sizes sizes_axis_by_axis(const ShapeList& inputs, const Shape& output) {
  const bool same_rank =
      std::ranges::any_of(inputs, [&](const Shape* shape) { return shape->size() == output.size(); });
  if (!same_rank) return sizes_in_order(inputs, output);
  Sizes sizes;
  for (std::size_t axis = 0; axis < output.size(); ++axis) sizes.push_back(dynamic_at(inputs, output.size() - axis));
  return sizes;
}

Sizes sizes_of_matmul(const NodeView& layer, const ShapeList& inputs, const Shape& output) {
  constexpr std::size_t kLast = 1, kLastButOne = 2;
  if (inputs.size() != 2 || inputs[0]->size() < 2 || inputs[1]->size() < 2 || output.size() < 2) {
    return sizes_in_order(inputs, output);
  }
  Sizes sizes = sizes_axis_by_axis(inputs, output);
  const std::size_t rank = output.size();
  sizes[rank - kLastButOne] = dynamic_at({inputs[0]}, layer.is_set("transpose_a") ? kLast : kLastButOne);
  sizes[rank - kLast] = dynamic_at({inputs[1]}, layer.is_set("transpose_b") ? kLastButOne : kLast);
  return sizes;
}

Sizes sizes_of_window(const NodeView& layer, const ShapeList& inputs, const Shape& output) {
  Sizes sizes = sizes_axis_by_axis(inputs, output);
  for (std::size_t axis = kWindowFreeAxes; axis < sizes.size(); ++axis) {
    sizes[axis] = {.size = window_length(layer, inputs, axis).value_or(-1)};
  }
  return sizes;
}

// The shapes of all outputs with what sizes_for(output number, shape) says of open axes. An axis that it knows nothing
// of keeps its name, one that it only has a number for too.
template <typename SizesFor>
Outputs filled_in(const NodeView& layer, SizesFor sizes_for) {
  Outputs outputs(layer.num_outputs());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Shape* stated = layer.output(i);
    if (stated == nullptr || std::ranges::none_of(*stated, is_open)) continue;
    Sizes sizes = sizes_for(i, *stated);
    for (std::size_t axis = 0; axis < stated->size(); ++axis) {
      if (!is_dynamic(sizes[axis])) sizes[axis].symbol = (*stated)[axis].symbol;
    }
    outputs[i].shape = std::move(sizes);
  }
  return outputs;
}

Outputs axis_by_axis(const NodeView& layer) {
  const ShapeList inputs = inputs_of(layer);
  return filled_in(layer, [&](std::size_t, const Shape& shape) { return sizes_axis_by_axis(inputs, shape); });
}

Outputs in_order(const NodeView& layer) {
  const ShapeList inputs = inputs_of(layer);
  return filled_in(layer, [&](std::size_t, const Shape& shape) { return sizes_in_order(inputs, shape); });
}

Outputs matmul(const NodeView& layer) {
  const ShapeList inputs = inputs_of(layer);
  return filled_in(layer, [&](std::size_t, const Shape& shape) { return sizes_of_matmul(layer, inputs, shape); });
}

Outputs window(const NodeView& layer) {
  const ShapeList inputs = inputs_of(layer);
  return filled_in(layer, [&](std::size_t output, const Shape& shape) {
    return output < kMostOutputs ? sizes_of_window(layer, inputs, shape) : Sizes(shape.size());
  });
}

Outputs concat(const NodeView& layer) {
  const ShapeList inputs = inputs_of(layer);
  ShapeList parts;
  for (std::size_t i = 0; i < layer.num_inputs(); ++i) parts.push_back(layer.shape(i));
  return filled_in(layer, [&](std::size_t output, const Shape& shape) {
    Sizes sizes = sizes_axis_by_axis(inputs, shape);
    if (const auto axis = axis_of(layer.integer("axis", 0), shape.size())) {
      sizes[*axis] = output == 0 ? sum_along(parts, *axis, shape.size()) : unknown_dim();
    }
    return sizes;
  });
}

// Sizes of their own, which no input tells.
Outputs own_sizes(const NodeView&) { return {}; }

constexpr std::array kOpenVinoRules{
    RuleRow{"MatMul", matmul},
    RuleRow{"Concat", concat},
    RuleRow{"Transpose Reshape Squeeze Unsqueeze Gather OneHot", in_order},
    RuleRow{"Convolution GroupConvolution ConvolutionBackpropData GroupConvolutionBackpropData BinaryConvolution "
            "DeformableConvolution MaxPool AvgPool Interpolate",
            window},
    RuleRow{"ReadValue Broadcast Tile Pad Range NonZero", own_sizes},
};

Outputs outputs_of_openvino(const NodeView& layer) {
  static const RuleTable table{kOpenVinoRules};
  const Rule rule = table.find(std::string(without_domain(layer.type())));
  return rule != nullptr ? rule(layer) : axis_by_axis(layer);
}

}  // namespace

const DialectRules& openvino_rules() {
  static constexpr DialectRules kRules{outputs_of_openvino, nullptr};
  return kRules;
}

}  // namespace berth::openvino
