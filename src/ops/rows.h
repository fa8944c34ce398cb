// SPDX-License-Identifier: Apache-2.0
// Words for the rows of the op table, and the rows by dialect. For rows_*.cc and op_table.cc only.
#pragma once

#include "ops/op_table.h"

namespace berth::rows {

std::span<const OpRow> zoo();
std::span<const OpRow> onnx();
std::span<const OpRow> onnx_microsoft();
std::span<const OpRow> tensorflow();
std::span<const OpRow> openvino();
std::span<const OpRow> aten();

constexpr FlopRule product(std::uint8_t factor = 0) { return {.formula = Formula::kProduct, .data = factor}; }
constexpr FlopRule conv(std::uint8_t weight = 1, Filter filter = Filter::kFirst) {
  return {.formula = Formula::kConv, .weight = weight, .filter = filter};
}
constexpr FlopRule conv_from(std::uint8_t data, std::uint8_t weight, Filter filter = Filter::kFirst) {
  return {.formula = Formula::kConvFromInput, .data = data, .weight = weight, .filter = filter};
}
constexpr FlopRule filter_gradient(std::uint8_t gradient, Filter filter = Filter::kFirst) {
  return {.formula = Formula::kFilterGradient, .data = gradient, .filter = filter};
}
constexpr FlopRule recurrent(std::uint8_t data, std::uint8_t weight, std::uint8_t weights, std::uint8_t times = 1) {
  return {.formula = Formula::kRecurrent, .data = data, .weight = weight, .weights = weights, .times = times};
}
constexpr FlopRule by(Formula formula) { return {.formula = formula}; }
inline constexpr FlopRule kAttentionWithPast{.formula = Formula::kAttention, .keeps_past = true};
inline constexpr FlopRule kSelfAttentionWithPast{.formula = Formula::kSelfAttention, .keeps_past = true};

constexpr Traffic gathered(std::uint8_t input = 0, std::uint8_t inputs = 1) {
  return {Reads::kGathered, input, inputs};
}
constexpr Traffic shape_of(std::uint8_t input = 0) { return {Reads::kShapeOnly, input, 1}; }
constexpr Traffic rewrites(std::uint8_t variables) { return {Reads::kRewrites, 0, variables}; }
inline constexpr Traffic kUntouched{Reads::kNothing, 0, 0};

constexpr OpInfo view(CostClass cost_class = CostClass::kNothing) {
  return {.cost_class = cost_class, .traffic = kUntouched, .effect = Effect::kView};
}

}  // namespace berth::rows
