// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that slide windows or walk along a sequence: convolutions, pools, padding, resizing,
// recurrence.
#include "model/shapes/onnx/rules.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/shapes/dims.h"
#include "model/shapes/window.h"

namespace berth {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t at(const Numbers* numbers, std::size_t i, std::int64_t otherwise) {
  return numbers != nullptr && i < numbers->size() ? std::clamp((*numbers)[i], -kLargestWindow, kLargestWindow)
                                                   : otherwise;
}

SlidingWindow window_of(const Node& node, std::size_t axis, std::size_t axes, std::int64_t size) {
  const auto* pads = node.find<Numbers>("pads");
  return {size, at(node.find<Numbers>("strides"), axis, 1), at(node.find<Numbers>("dilations"), axis, 1),
          at(pads, axis, 0), at(pads, axis + axes, 0)};
}

Padding padding_of(const Node& node) {
  const auto* text = node.find<std::string>("auto_pad");
  if (text == nullptr) return Padding::kStated;
  return text->starts_with("SAME") ? Padding::kSame : *text == "VALID" ? Padding::kNone : Padding::kStated;
}

// Sizes of the window itself: stated, else those of the weight.
std::int64_t kernel_size(const Node& node, const Shape* weight, std::size_t axis) {
  if (const auto* stated = node.find<Numbers>("kernel_shape")) return at(stated, axis, -1);
  return weight != nullptr && axis + 2 < weight->size() ? (*weight)[axis + 2].size : -1;
}

bool has_planes(const NodeView& node) { return node.shape(0) != nullptr && node.shape(0)->size() >= 2; }

// onnxruntime's operators may have the channels last; the rules want them behind the batch.
bool has_channels_last(const Node& node) {
  return node.integer("channels_last", 0) != 0 || node.type.starts_with("com.microsoft.Nhwc");
}
Shape input_planes(const NodeView& node) {
  Shape shape = *node.shape(0);
  if (has_channels_last(node.node())) std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return shape;
}
Shape output_planes(const NodeView& node, Shape shape) {
  if (has_channels_last(node.node())) std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

Outputs slide_all(const NodeView& node, const Dim& channels, const Shape* weight, Rounding rounding) {
  const Shape input = input_planes(node);
  Shape result{input[0], channels};
  const std::size_t axes = input.size() - 2;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const SlidingWindow window = window_of(node.node(), axis, axes, kernel_size(node.node(), weight, axis));
    result.push_back({slide(input[axis + 2].size, window, padding_of(node.node()), rounding), {}});
  }
  result = output_planes(node, std::move(result));
  return Outputs(std::max<std::size_t>(node.num_outputs(), 1), Inferred{node.dtype(0), result});
}

Outputs convolve(const NodeView& node, std::size_t weight_input, std::optional<DType> dtype) {
  const Shape* weight = node.shape(weight_input);
  if (!has_planes(node) || weight == nullptr || weight->size() != node.shape(0)->size())
    return one(dtype, std::nullopt);
  Outputs outputs = slide_all(node, weight->front(), weight, Rounding::kDown);
  outputs[0].dtype = dtype;
  return outputs;
}

Outputs spread_all(const NodeView& node, std::size_t weight_input) {
  const Shape* weight = node.shape(weight_input);
  if (!has_planes(node) || weight == nullptr || weight->size() != node.shape(0)->size())
    return {{node.dtype(0), std::nullopt}};
  const Shape& input = *node.shape(0);
  const std::int64_t group = node.integer("group", 1);
  const Dim& narrow = (*weight)[1];
  Shape result{input[0], group > 0 ? product_of(narrow, known_dim(group)) : unknown_dim()};
  const std::size_t axes = input.size() - 2;
  const auto *stated = node.integers("output_shape"), *extra = node.integers("output_padding");
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const SlidingWindow window = window_of(node.node(), axis, axes, kernel_size(node.node(), weight, axis));
    const std::int64_t grown = spread(input[axis + 2].size, window, padding_of(node.node()), at(extra, axis, 0));
    result.push_back({at(stated, axis, grown), {}});
  }
  return {{node.dtype(0), result}};
}

// Factors that a Resize or an Upsample states, as far as they are whole numbers or attributes.
std::vector<double> scales_of(const NodeView& node) {
  if (const auto* stated = node.node().find<std::vector<double>>("scales")) return *stated;
  if (const auto* whole = node.integers("scales")) return {whole->begin(), whole->end()};
  const bool is_old = node.type() == "Upsample" || node.num_inputs() == 2;
  const auto* whole = node.contents(is_old ? 1 : 2);
  return whole != nullptr ? std::vector<double>(whole->begin(), whole->end()) : std::vector<double>();
}

Dim scaled(const Dim& dim, double scale) {
  const double size = dim.known() ? std::floor(static_cast<double>(dim.size) * scale) : -1.0;
  if (!(size >= 0.0)) return unknown_dim();
  return known_dim(size < static_cast<double>(kLargestWindow) ? static_cast<std::int64_t>(size) : kTooLarge);
}

// Y [seq, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden]; layout 1 has the batch first. Without an
// attribute, an axis of the recurrent weight has as many elements as the state.
Outputs walk(const NodeView& node, std::size_t hidden_axis) {
  const Shape *input = node.shape(0), *weight = node.shape(1), *recurrent = node.shape(2);
  if (input == nullptr || weight == nullptr || recurrent == nullptr || input->size() != 3 || weight->size() != 3 ||
      recurrent->size() != 3)
    return {{node.dtype(0), std::nullopt}};
  const Dim directions = (*weight)[0], hidden{node.integer("hidden_size", (*recurrent)[hidden_axis].size), {}};
  if (node.integer("layout", 0) != 0) {
    const Shape last{(*input)[0], directions, hidden};
    return {{node.dtype(0), Shape{(*input)[0], (*input)[1], directions, hidden}},
            {node.dtype(0), last},
            {node.dtype(0), last}};
  }
  const Shape last{directions, (*input)[1], hidden};
  return {{node.dtype(0), Shape{(*input)[0], directions, (*input)[1], hidden}},
          {node.dtype(0), last},
          {node.dtype(0), last}};
}

Outputs infer_conv(const NodeView& node) { return convolve(node, 1, node.dtype(0)); }

// Of 8-bit numbers, into 32 bits.
Outputs infer_integer_conv(const NodeView& node) { return convolve(node, 1, DType::kI32); }

// Input, its scale and zero, weight, its scale and zero, ...
Outputs infer_quantized_conv(const NodeView& node) { return convolve(node, 3, node.dtype(7)); }

Outputs infer_conv_transpose(const NodeView& node) { return spread_all(node, 1); }

// Inputs as of infer_quantized_conv.
Outputs infer_quantized_conv_transpose(const NodeView& node) { return spread_all(node, 3); }

Outputs infer_pool(const NodeView& node) {
  if (!has_planes(node)) return {{node.dtype(0), std::nullopt}};
  const bool rounds_up = node.integer("ceil_mode", 0) != 0;
  Outputs outputs = slide_all(node, input_planes(node)[1], nullptr, rounds_up ? Rounding::kUp : Rounding::kDown);
  if (outputs.size() > 1) outputs[1].dtype = DType::kI64;
  return outputs;
}

Outputs infer_global_pool(const NodeView& node) {
  if (!has_planes(node)) return {{node.dtype(0), std::nullopt}};
  Shape result = input_planes(node);
  std::fill(result.begin() + 2, result.end(), Dim{1, {}});
  return {{node.dtype(0), output_planes(node, std::move(result))}};
}

// The sizes before the pool, as an input has them, else those that its windows cover.
Outputs infer_max_unpool(const NodeView& node) {
  if (node.has(2)) return one(node.dtype(0), shape_in(node.partial(2)));
  if (!has_planes(node)) return one(node.dtype(0), std::nullopt);
  Shape result = *node.shape(0);
  const std::size_t axes = result.size() - 2;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const SlidingWindow window = window_of(node.node(), axis, axes, kernel_size(node.node(), nullptr, axis));
    result[axis + 2] = known_dim(spread(result[axis + 2].size, window, Padding::kStated));
  }
  return one(node.dtype(0), result);
}

// Gradient of the output, input, weight: gradients of the input, the weight and the bias.
Outputs infer_conv_grad(const NodeView& node) {
  std::optional<Shape> bias;
  if (has_planes(node)) bias = Shape{(*node.shape(0))[1]};
  return {{node.dtype(1), copy_of(node.shape(1))}, {node.dtype(2), copy_of(node.shape(2))}, {node.dtype(2), bias}};
}

Outputs infer_pad(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto* pads = node.numbers("pads", 1);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const bool axes_open = node.has(3) && node.contents(3) == nullptr;
  const auto axes = axes_or_all(node.contents(3), shape->size());
  if (pads == nullptr || !axes || axes_open || pads->size() != 2 * axes->size())
    return one(node.dtype(0), all_unknown(shape->size()));
  Shape result = *shape;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    Dim& dim = result[(*axes)[i]];
    if (!dim.known()) continue;
    const std::int64_t size = std::min(dim.size, kLargestWindow) + at(pads, i, 0) + at(pads, i + axes->size(), 0);
    dim = known_dim(std::max<std::int64_t>(size, 0));
  }
  return one(node.dtype(0), result);
}

Outputs infer_resize(const NodeView& node) {
  const Shape* shape = node.shape(0);
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  const auto* policy = node.node().find<std::string>("keep_aspect_ratio_policy");
  const auto axes = axes_or_all(node.integers("axes"), shape->size());
  const auto* sizes = node.contents(3);
  const std::vector<double> scales = scales_of(node);
  const bool is_open = (policy != nullptr && *policy != "stretch") || !axes;
  if (is_open || (sizes == nullptr ? scales.size() : sizes->size()) != axes->size())
    return one(node.dtype(0), all_unknown(shape->size()));
  Shape result = *shape;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    Dim& dim = result[(*axes)[i]];
    dim = sizes != nullptr ? known_dim((*sizes)[i]) : scaled(dim, scales[i]);
  }
  return one(node.dtype(0), result);
}

// Values of [batch, channels, ...] at the places that a grid [batch, ..., axes] names.
Outputs infer_grid_sample(const NodeView& node) {
  const Shape* grid = node.shape(1);
  if (!has_planes(node) || grid == nullptr || grid->size() != node.shape(0)->size())
    return one(node.dtype(0), std::nullopt);
  Shape result{(*node.shape(0))[0], (*node.shape(0))[1]};
  result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
  return one(node.dtype(0), result);
}

// Each region [regions, 4] of [batch, channels, height, width] as a plane of one size.
Outputs infer_roi_align(const NodeView& node) {
  const Shape* regions = node.shape(1);
  if (!has_planes(node) || regions == nullptr || regions->empty()) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), Shape{regions->front(), (*node.shape(0))[1], known_dim(node.integer("output_height", 1)),
                                  known_dim(node.integer("output_width", 1))});
}

Outputs infer_recurrent(const NodeView& node) { return walk(node, 2); }
// With its weights transposed.
Outputs infer_quantized_recurrent(const NodeView& node) { return walk(node, 1); }

constexpr RuleRow kWindowsRules[] = {
    {"Conv DeformConv", infer_conv},
    {"com.microsoft: FusedConv NhwcConv NhwcFusedConv", infer_conv},
    {"ConvInteger", infer_integer_conv},
    {"QLinearConv", infer_quantized_conv},
    {"ConvTranspose", infer_conv_transpose},
    {"com.microsoft: QLinearConvTranspose", infer_quantized_conv_transpose},
    {"com.microsoft: ConvGrad ConvTransposeGrad", infer_conv_grad},
    {"MaxPool AveragePool LpPool", infer_pool},
    {"com.microsoft: QLinearAveragePool NhwcMaxPool", infer_pool},
    {"GlobalAveragePool GlobalMaxPool GlobalLpPool", infer_global_pool},
    {"com.microsoft: QLinearGlobalAveragePool", infer_global_pool},
    {"MaxUnpool", infer_max_unpool},
    {"Pad", infer_pad},
    {"Resize Upsample", infer_resize},
    {"GridSample", infer_grid_sample},
    {"RoiAlign", infer_roi_align},
    {"LSTM GRU RNN", infer_recurrent},
    {"com.microsoft: DynamicQuantizeLSTM", infer_quantized_recurrent},
};

}  // namespace

std::span<const RuleRow> windows_rules() { return kWindowsRules; }

}  // namespace berth
