// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/ir_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace berth::openvino {
namespace {

enum class Rule { kAxisByAxis, kInOrder, kWindow, kConcat, kMatMul, kOwn };

struct TypeRule {
  std::string_view type;
  Rule rule;
};
constexpr std::array kRules{
    TypeRule{"MatMul", Rule::kMatMul},
    TypeRule{"Concat", Rule::kConcat},
    TypeRule{"Transpose", Rule::kInOrder},
    TypeRule{"Reshape", Rule::kInOrder},
    TypeRule{"Squeeze", Rule::kInOrder},
    TypeRule{"Unsqueeze", Rule::kInOrder},
    TypeRule{"Gather", Rule::kInOrder},
    TypeRule{"OneHot", Rule::kInOrder},
    TypeRule{"Convolution", Rule::kWindow},
    TypeRule{"GroupConvolution", Rule::kWindow},
    TypeRule{"ConvolutionBackpropData", Rule::kWindow},
    TypeRule{"GroupConvolutionBackpropData", Rule::kWindow},
    TypeRule{"BinaryConvolution", Rule::kWindow},
    TypeRule{"DeformableConvolution", Rule::kWindow},
    TypeRule{"MaxPool", Rule::kWindow},
    TypeRule{"AvgPool", Rule::kWindow},
    TypeRule{"Interpolate", Rule::kWindow},
    TypeRule{"Parameter", Rule::kOwn},
    TypeRule{"ReadValue", Rule::kOwn},
    TypeRule{"Broadcast", Rule::kOwn},
    TypeRule{"Tile", Rule::kOwn},
    TypeRule{"Pad", Rule::kOwn},
    TypeRule{"Range", Rule::kOwn},
    TypeRule{"NonZero", Rule::kOwn},
};
constexpr std::size_t kWindowFreeAxes = 2;  // batch and channels
constexpr std::size_t kMostInputs = 8;      // that names are looked for in: a layer may have millions

Rule rule_of(std::string_view type) {
  const auto found = std::ranges::find(kRules, type, &TypeRule::type);
  return found != kRules.end() ? found->rule : Rule::kAxisByAxis;
}

bool is_true(const IrLayer& layer, std::string_view attribute) {
  const std::string* value = layer.find(attribute);
  return value != nullptr && (*value == "true" || *value == "1");
}

using Inputs = std::vector<const Shape*>;

const Dim* from_the_end(const Shape& shape, std::size_t back) {
  return back <= shape.size() ? &shape[shape.size() - back] : nullptr;
}

// The name that some input has at the axis so many places before the end.
std::string symbol_at(const Inputs& inputs, std::size_t back) {
  for (const Shape* shape : inputs) {
    const Dim* dim = from_the_end(*shape, back);
    if (dim != nullptr && !dim->known()) return dim->symbol;
  }
  return {};
}

std::vector<const Dim*> unknown_sizes(const Inputs& inputs) {
  std::vector<const Dim*> sizes;
  for (const Shape* shape : inputs) {
    for (const Dim& dim : *shape) {
      if (!dim.known()) sizes.push_back(&dim);
    }
  }
  return sizes;
}

// Of all inputs, or if there are too many for that, of the first: what an index picks from it is taken for all of it.
std::vector<std::string> in_order(const Inputs& inputs, const Shape& output) {
  std::vector<std::string> names(output.size());
  const auto unknown =
      static_cast<std::size_t>(std::ranges::count_if(output, [](const Dim& dim) { return !dim.known(); }));
  std::vector<const Dim*> found = unknown_sizes(inputs);
  if (found.size() > unknown) found = unknown_sizes({inputs.front()});
  if (found.size() != unknown) return names;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    if (!output[axis].known()) names[axis] = found[next++]->symbol;
  }
  return names;
}

std::vector<std::string> axis_by_axis(const Inputs& inputs, const Shape& output) {
  const bool same_rank =
      std::ranges::any_of(inputs, [&](const Shape* shape) { return shape->size() == output.size(); });
  if (!same_rank) return in_order(inputs, output);
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < output.size(); ++axis) names.push_back(symbol_at(inputs, output.size() - axis));
  return names;
}

std::vector<std::string> of_concat(const IrLayer& layer, const Inputs& inputs, const Shape& output) {
  std::vector<std::string> names = axis_by_axis(inputs, output);
  const std::string* text = layer.find("axis");
  std::int64_t axis = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), axis);
  const auto rank = static_cast<std::int64_t>(output.size());
  if (axis < 0) axis += rank;
  if (axis >= 0 && axis < rank) names[static_cast<std::size_t>(axis)].clear();
  return names;
}

std::vector<std::string> of_matmul(const IrLayer& layer, const Inputs& inputs, const Shape& output) {
  constexpr std::size_t kLast = 1, kLastButOne = 2;
  if (inputs.size() != 2 || inputs[0]->size() < 2 || inputs[1]->size() < 2 || output.size() < 2) {
    return in_order(inputs, output);
  }
  std::vector<std::string> names = axis_by_axis(inputs, output);
  const std::size_t rank = output.size();
  names[rank - kLastButOne] = from_the_end(*inputs[0], is_true(layer, "transpose_a") ? kLast : kLastButOne)->symbol;
  names[rank - kLast] = from_the_end(*inputs[1], is_true(layer, "transpose_b") ? kLastButOne : kLast)->symbol;
  return names;
}

// Names for the dynamic sizes of an output; an empty one where the inputs do not tell.
std::vector<std::string> names_for(const IrLayer& layer, const Inputs& inputs, const Shape& output) {
  switch (rule_of(layer.type)) {
    case Rule::kAxisByAxis:
      return axis_by_axis(inputs, output);
    case Rule::kInOrder:
      return in_order(inputs, output);
    case Rule::kConcat:
      return of_concat(layer, inputs, output);
    case Rule::kMatMul:
      return of_matmul(layer, inputs, output);
    case Rule::kWindow: {
      std::vector<std::string> names = axis_by_axis(inputs, output);
      for (std::size_t axis = kWindowFreeAxes; axis < names.size(); ++axis) names[axis].clear();
      return names;
    }
    case Rule::kOwn:
      break;
  }
  return std::vector<std::string>(output.size());
}

Shape shape_of(const IrPort& port) {
  Shape shape;
  for (const std::int64_t size : port.dims) shape.push_back({.size = size});
  return shape;
}

void name_unknown(const IrLayer& layer, std::size_t output, const Inputs& inputs, Shape& shape) {
  std::vector<std::string> names = names_for(layer, inputs, shape);
  const std::string own = output == 0 ? short_name(layer) : fmt::format("{}:{}", short_name(layer), output);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis].known()) continue;
    shape[axis].symbol = names[axis].empty() ? fmt::format("{}.{}", own, axis) : std::move(names[axis]);
  }
}

}  // namespace

LayerShapes name_dynamic_sizes(const IrNet& net, const IrLinks& links) {
  LayerShapes shapes(net.layers.size());
  for (const std::uint32_t at : links.order) {
    const IrLayer& layer = net.layers[at];
    Inputs inputs;
    for (const IrSource& source : links.sources[at]) {
      if (inputs.size() < kMostInputs) inputs.push_back(&shapes[source.layer][source.output]);
    }
    for (std::size_t output = 0; output < layer.outputs.size(); ++output) {
      Shape shape = shape_of(layer.outputs[output]);
      const bool is_dynamic = std::ranges::any_of(shape, [](const Dim& dim) { return !dim.known(); });
      if (is_dynamic) name_unknown(layer, output, inputs, shape);
      shapes[at].push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace berth::openvino
