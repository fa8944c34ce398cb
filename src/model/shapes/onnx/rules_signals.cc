// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators for signals: Fourier transforms, and the windows and weights they are used with.
#include "model/shapes/onnx/rules.h"

#include "model/shapes/dims.h"
#include "model/shapes/onnx/dtype.h"

namespace berth {
namespace {

constexpr std::int64_t kReal = 1, kComplex = 2;  // numbers along the last axis

// Of a real signal, half of the frequencies and one say all.
Dim half_of(const Dim& length) { return is_size(length) ? known_dim(length.size / 2 + 1) : unknown_dim(); }
Dim whole_of(const Dim& half) { return is_size(half) ? known_dim(2 * (half.size - 1)) : unknown_dim(); }

Dim stated_length(const NodeView& node, std::size_t input) {
  const auto number = node.number(input);
  return number ? known_dim(*number) : unknown_dim();
}

std::optional<DType> signal_type(const NodeView& node) { return dtype_of_onnx(node.integer("output_datatype", 1)); }

// An attribute before opset 20, an input since; without either, the last but that of the parts of a number.
std::optional<std::size_t> transformed_axis(const NodeView& node, std::size_t rank) {
  constexpr std::int64_t kDefault = -2;
  if (node.has(2) && !node.number(2)) return std::nullopt;
  return axis_of(node.number(2).value_or(node.integer("axis", kDefault)), rank);
}

// Signal [batch, ..., 1 or 2], length of the transform.
Outputs infer_dft(const NodeView& node) {
  const Shape* signal = node.shape(0);
  if (signal == nullptr || signal->size() < 2) return one(node.dtype(0), std::nullopt);
  const bool is_half = node.integer("onesided", 0) != 0, goes_back = node.integer("inverse", 0) != 0;
  Shape result = *signal;
  result.back() = known_dim(is_half && goes_back ? kReal : kComplex);
  if (!node.has(1) && !is_half) return one(node.dtype(0), result);
  const auto axis = transformed_axis(node, signal->size());
  if (!axis) return one(node.dtype(0), all_unknown(signal->size()));
  Dim length = is_half && goes_back ? whole_of((*signal)[*axis]) : (*signal)[*axis];
  if (node.has(1)) length = stated_length(node, 1);
  result[*axis] = is_half && !goes_back ? half_of(length) : length;
  return one(node.dtype(0), result);
}

// Signal [batch, length, 1 or 2], step, window, length of a frame: [batch, frames, frequencies, 2].
Outputs infer_stft(const NodeView& node) {
  const Shape *signal = node.shape(0), *window = node.shape(2);
  if (signal == nullptr || signal->size() < 2) return one(node.dtype(0), std::nullopt);
  Dim frame = unknown_dim();
  if (window != nullptr && window->size() == 1) frame = window->front();
  if (node.has(3)) frame = stated_length(node, 3);
  const Dim &length = (*signal)[1], step = stated_length(node, 1);
  const bool is_known = is_size(length) && frame.known() && step.size > 0;
  const std::int64_t room = is_known ? length.size - frame.size : -1;
  const Dim frames = room >= 0 ? known_dim(room / step.size + 1) : unknown_dim();
  const Dim frequencies = node.integer("onesided", 1) != 0 ? half_of(frame) : frame;
  return one(node.dtype(0), Shape{(*signal)[0], frames, frequencies, known_dim(kComplex)});
}

// Of as many numbers as the input says.
Outputs infer_signal_window(const NodeView& node) { return one(signal_type(node), Shape{stated_length(node, 0)}); }

// Number of bands, length of the transform, ...: [frequencies, bands].
Outputs infer_mel_weights(const NodeView& node) {
  return one(signal_type(node), Shape{half_of(stated_length(node, 1)), stated_length(node, 0)});
}

constexpr RuleRow kSignalsRules[] = {
    {"DFT", infer_dft},
    {"STFT", infer_stft},
    {"HannWindow HammingWindow BlackmanWindow", infer_signal_window},
    {"MelWeightMatrix", infer_mel_weights},
};

}  // namespace

std::span<const RuleRow> signals_rules() { return kSignalsRules; }

}  // namespace berth
