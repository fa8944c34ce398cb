// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/openvino/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/shapes/arrange.h"
#include "model/shapes/node_view.h"
#include "model/shapes/window.h"

namespace berth::openvino {
namespace {

constexpr std::size_t kWindowFreeAxes = 2;  // batch and channels
constexpr std::size_t kNoWeight = 0;        // a pool: the window is an attribute

struct WindowType {
  std::string_view type;
  std::size_t weight;  // the input whose last axes are the window
  bool spreads = false;
};
constexpr std::array kWindowTypes{
    WindowType{"Convolution", 1},
    WindowType{"GroupConvolution", 1},
    WindowType{"BinaryConvolution", 1},
    WindowType{"DeformableConvolution", 2},
    WindowType{"ConvolutionBackpropData", 1, true},
    WindowType{"GroupConvolutionBackpropData", 1, true},
    WindowType{"MaxPool", kNoWeight},
    WindowType{"AvgPool", kNoWeight},
};

std::int64_t number_at(const NodeView& layer, std::string_view attribute, std::size_t i, std::int64_t otherwise) {
  const auto* numbers = layer.integers(attribute);
  return numbers != nullptr && i < numbers->size() ? std::clamp((*numbers)[i], -kLargestWindow, kLargestWindow)
                                                   : otherwise;
}

Padding padding_of(const NodeView& layer) {
  const std::string_view text = layer.text("auto_pad");
  return text.starts_with("same") ? Padding::kSame : text == "valid" ? Padding::kNone : Padding::kStated;
}

Rounding rounding_of(const NodeView& layer) {
  const std::string_view text = layer.text("rounding_type");
  return text == "ceil" ? Rounding::kUp : text == "ceil_torch" ? Rounding::kUpInside : Rounding::kDown;
}

// Lengths that windows make (convolutions, transposed ones and pools), from the attributes of the layer and the shape
// of its weight: the size of an axis of the output, from kWindowFreeAxes on; `inputs` are the shapes of the layer's
// inputs. Nothing if it is no such layer, a size that it depends on is not known, the .bin has it, or the window does
// not fit.
std::optional<std::int64_t> window_length(const NodeView& layer, std::span<const Shape* const> inputs,
                                          std::size_t axis) {
  const auto type = std::ranges::find(kWindowTypes, without_domain(layer.type()), &WindowType::type);
  if (type == kWindowTypes.end() || inputs.empty() || axis < kWindowFreeAxes) return std::nullopt;
  const bool is_stated = type->spreads && layer.num_inputs() > 2;  // the third input is the shape of the output
  const std::size_t rank = inputs[0]->size();
  if (is_stated || axis >= rank || type->weight >= inputs.size()) return std::nullopt;
  const std::int64_t before = (*inputs[0])[axis].size;
  if (before < 0) return std::nullopt;
  const std::size_t i = axis - kWindowFreeAxes, back = rank - axis;
  std::int64_t size = number_at(layer, "kernel", i, -1);
  if (type->weight != kNoWeight) {
    const Shape& weight = *inputs[type->weight];
    size = back <= weight.size() ? weight[weight.size() - back].size : -1;
  }
  const SlidingWindow window{size, number_at(layer, "strides", i, 1), number_at(layer, "dilations", i, 1),
                             number_at(layer, "pads_begin", i, 0), number_at(layer, "pads_end", i, 0)};
  const std::int64_t length = type->spreads
                                  ? spread(before, window, padding_of(layer), number_at(layer, "output_padding", i, 0))
                                  : slide(before, window, padding_of(layer), rounding_of(layer));
  return length > 0 ? std::optional(length) : std::nullopt;
}

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
