// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_windows.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "import/openvino/ir_attributes.h"
#include "model/shapes/window.h"

namespace berth::openvino {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::size_t kNoWeight = 0;        // a pool: the window is an attribute
constexpr std::size_t kLongestList = 1024;  // characters: a number for each of a few axes

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

std::int64_t number_at(const IrLayer& layer, std::string_view attribute, std::size_t i, std::int64_t otherwise) {
  const std::string* text = layer.find(attribute);
  if (text == nullptr || text->size() > kLongestList) return otherwise;
  const Attribute typed = typed_attribute(attribute, *text);
  const auto* numbers = std::get_if<Integers>(&typed);
  return numbers != nullptr && i < numbers->size() ? std::clamp((*numbers)[i], -kLargestWindow, kLargestWindow)
                                                   : otherwise;
}

Padding padding_of(const IrLayer& layer) {
  const std::string* text = layer.find("auto_pad");
  if (text == nullptr) return Padding::kStated;
  return text->starts_with("same") ? Padding::kSame : *text == "valid" ? Padding::kNone : Padding::kStated;
}

Rounding rounding_of(const IrLayer& layer) {
  const std::string* text = layer.find("rounding_type");
  if (text == nullptr) return Rounding::kDown;
  return *text == "ceil" ? Rounding::kUp : *text == "ceil_torch" ? Rounding::kUpInside : Rounding::kDown;
}

}  // namespace

std::optional<std::int64_t> window_length(const IrLayer& layer, std::span<const Shape* const> inputs,
                                          std::size_t axis) {
  const auto type = std::ranges::find(kWindowTypes, layer.type, &WindowType::type);
  if (type == kWindowTypes.end() || inputs.empty() || axis < kWindowFreeAxes) return std::nullopt;
  const bool is_stated = type->spreads && layer.inputs.size() > 2;  // the third input is the shape of the output
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
