// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "import/openvino/ir_windows.h"

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
constexpr std::size_t kMostInputs = 8;   // that sizes are looked for in: a layer may have millions
constexpr std::size_t kMostOutputs = 2;  // of a window: a pool also tells the places of its maxima

Rule rule_of(std::string_view type) {
  const auto found = std::ranges::find(kRules, type, &TypeRule::type);
  return found != kRules.end() ? found->rule : Rule::kAxisByAxis;
}

bool is_true(const IrLayer& layer, std::string_view attribute) {
  const std::string* value = layer.find(attribute);
  return value != nullptr && (*value == "true" || *value == "1");
}

using Inputs = std::vector<const Shape*>;
using Sizes = std::vector<Dim>;  // for every axis of an output; one without a name where the inputs do not tell

// Whether the file leaves it open; it may have a size by now.
bool is_dynamic(const Dim& dim) { return !dim.symbol.empty(); }

const Dim* from_the_end(const Shape& shape, std::size_t back) {
  return back <= shape.size() ? &shape[shape.size() - back] : nullptr;
}

// The dynamic size that some input has at the axis so many places before the end.
Dim dynamic_at(const Inputs& inputs, std::size_t back) {
  for (const Shape* shape : inputs) {
    const Dim* dim = from_the_end(*shape, back);
    if (dim != nullptr && is_dynamic(*dim)) return *dim;
  }
  return {};
}

std::vector<const Dim*> dynamic_sizes(const Inputs& inputs) {
  std::vector<const Dim*> sizes;
  for (const Shape* shape : inputs) {
    for (const Dim& dim : *shape) {
      if (is_dynamic(dim)) sizes.push_back(&dim);
    }
  }
  return sizes;
}

// Of all inputs, or if there are too many for that, of the first: what an index picks from it is taken for all of it.
Sizes in_order(const Inputs& inputs, const Shape& output) {
  Sizes sizes(output.size());
  const auto unknown =
      static_cast<std::size_t>(std::ranges::count_if(output, [](const Dim& dim) { return !dim.known(); }));
  std::vector<const Dim*> found = dynamic_sizes(inputs);
  if (found.size() > unknown) found = dynamic_sizes({inputs.front()});
  if (found.size() != unknown) return sizes;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    if (!output[axis].known()) sizes[axis] = *found[next++];
  }
  return sizes;
}

Sizes axis_by_axis(const Inputs& inputs, const Shape& output) {
  const bool same_rank =
      std::ranges::any_of(inputs, [&](const Shape* shape) { return shape->size() == output.size(); });
  if (!same_rank) return in_order(inputs, output);
  Sizes sizes;
  for (std::size_t axis = 0; axis < output.size(); ++axis) sizes.push_back(dynamic_at(inputs, output.size() - axis));
  return sizes;
}

Sizes of_matmul(const IrLayer& layer, const Inputs& inputs, const Shape& output) {
  constexpr std::size_t kLast = 1, kLastButOne = 2;
  if (inputs.size() != 2 || inputs[0]->size() < 2 || inputs[1]->size() < 2 || output.size() < 2) {
    return in_order(inputs, output);
  }
  Sizes sizes = axis_by_axis(inputs, output);
  const std::size_t rank = output.size();
  sizes[rank - kLastButOne] = dynamic_at({inputs[0]}, is_true(layer, "transpose_a") ? kLast : kLastButOne);
  sizes[rank - kLast] = dynamic_at({inputs[1]}, is_true(layer, "transpose_b") ? kLastButOne : kLast);
  return sizes;
}

Sizes of_window(const IrLayer& layer, const Inputs& inputs, const Shape& output) {
  Sizes sizes = axis_by_axis(inputs, output);
  for (std::size_t axis = kWindowFreeAxes; axis < sizes.size(); ++axis) {
    sizes[axis] = {.size = window_length(layer, inputs, axis).value_or(-1)};
  }
  return sizes;
}

std::optional<std::size_t> axis_of_concat(const IrLayer& layer, std::size_t rank) {
  const std::string* text = layer.find("axis");
  std::int64_t axis = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), axis);
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axis >= 0 && axis < static_cast<std::int64_t>(rank) ? std::optional(static_cast<std::size_t>(axis))
                                                             : std::nullopt;
}

Shape shape_of(const IrPort& port) {
  Shape shape;
  for (const std::int64_t size : port.dims) shape.push_back({.size = size});
  return shape;
}

class SizeNamer {
 public:
  SizeNamer(const IrNet& net, const IrLinks& links, const DimSizes& given)
      : net_(net), links_(links), given_(given), shapes_(net.layers.size()) {}

  LayerShapes run() {
    for (const std::uint32_t at : links_.order) {
      Inputs inputs;
      for (const IrSource& source : links_.sources[at]) {
        if (inputs.size() < kMostInputs) inputs.push_back(&shapes_[source.layer][source.output]);
      }
      for (std::size_t output = 0; output < net_.layers[at].outputs.size(); ++output) {
        Shape shape = shape_of(net_.layers[at].outputs[output]);
        const bool is_open = std::ranges::any_of(shape, [](const Dim& dim) { return !dim.known(); });
        if (is_open) name_open_sizes(at, output, inputs, shape);
        shapes_[at].push_back(std::move(shape));
      }
    }
    forget_names_of_results();
    return std::move(shapes_);
  }

 private:
  void name_open_sizes(std::uint32_t at, std::size_t output, const Inputs& inputs, Shape& shape) const {
    const IrLayer& layer = net_.layers[at];
    Sizes sizes = sizes_for(at, output, inputs, shape);
    const std::string own = output == 0 ? short_name(layer) : fmt::format("{}:{}", short_name(layer), output);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].known()) continue;
      Dim& dim = shape[axis] = std::move(sizes[axis]);
      if (!is_dynamic(dim)) dim.symbol = fmt::format("{}.{}", own, axis);
      if (const auto stated = given_.find(dim.symbol); stated != given_.end()) dim.size = stated->second;
    }
  }

  [[nodiscard]] Sizes sizes_for(std::uint32_t at, std::size_t output, const Inputs& inputs, const Shape& shape) const {
    const IrLayer& layer = net_.layers[at];
    switch (rule_of(layer.type)) {
      case Rule::kAxisByAxis:
        return axis_by_axis(inputs, shape);
      case Rule::kInOrder:
        return in_order(inputs, shape);
      case Rule::kMatMul:
        return of_matmul(layer, inputs, shape);
      case Rule::kWindow:
        return output < kMostOutputs ? of_window(layer, inputs, shape) : Sizes(shape.size());
      case Rule::kConcat: {
        Sizes sizes = axis_by_axis(inputs, shape);
        if (const auto axis = axis_of_concat(layer, shape.size())) {
          sizes[*axis] = {.size = output == 0 ? sum_along(at, *axis, shape.size()) : -1};
        }
        return sizes;
      }
      case Rule::kOwn:
        break;
    }
    return Sizes(shape.size());
  }

  // Over all inputs of the layer; -1 if one of them is not known, kTooLarge if the sum is beyond any tensor.
  [[nodiscard]] std::int64_t sum_along(std::uint32_t at, std::size_t axis, std::size_t rank) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    std::int64_t sum = 0;
    for (const IrSource& source : links_.sources[at]) {
      const Shape& part = shapes_[source.layer][source.output];
      if (part.size() != rank || !part[axis].known()) return -1;
      sum += std::min(part[axis].size, kMost - sum + 1);
    }
    return sum <= kMost ? sum : kTooLarge;
  }

  // Sizes that follow from others are plain numbers: only those that the user gives, or still can, have names.
  void forget_names_of_results() {
    for (auto& outputs : shapes_) {
      for (Shape& shape : outputs) {
        for (Dim& dim : shape) {
          if (dim.known() && !given_.contains(dim.symbol)) dim.symbol.clear();
        }
      }
    }
  }

  const IrNet& net_;
  const IrLinks& links_;
  const DimSizes& given_;
  LayerShapes shapes_;
};

}  // namespace

LayerShapes name_dynamic_sizes(const IrNet& net, const IrLinks& links, const DimSizes& given) {
  return SizeNamer(net, links, given).run();
}

}  // namespace berth::openvino
