// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/openvino/windows.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/shapes/openvino/rules.h"
#include "model/shapes/window.h"

namespace berth::openvino {
namespace {

constexpr std::size_t kNoWeight = 0;  // a pool: the window is an attribute

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

}  // namespace

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

}  // namespace berth::openvino
