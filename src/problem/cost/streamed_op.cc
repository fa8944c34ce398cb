// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/streamed_op.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth {
namespace {

constexpr std::array kStreamedTypes{
    std::pair{std::string_view("streamed_product"), StreamedType{StreamedOp::kProduct, WeightBits::kHalf}},
    std::pair{std::string_view("streamed_product_8bit"), StreamedType{StreamedOp::kProduct, WeightBits::kEight}},
    std::pair{std::string_view("streamed_product_4bit"), StreamedType{StreamedOp::kProduct, WeightBits::kFour}},
    std::pair{std::string_view("streamed_experts"), StreamedType{StreamedOp::kExperts, WeightBits::kHalf}},
    std::pair{std::string_view("streamed_experts_8bit"), StreamedType{StreamedOp::kExperts, WeightBits::kEight}},
    std::pair{std::string_view("streamed_experts_4bit"), StreamedType{StreamedOp::kExperts, WeightBits::kFour}},
    std::pair{std::string_view("cached_attention"), StreamedType{StreamedOp::kAttention, WeightBits::kHalf}},
};

// What a weight takes, about: enough to say how many of them a tensor holds.
double usual_bits(WeightBits bits) {
  switch (bits) {
    case WeightBits::kHalf:
      return 16.0;
    case WeightBits::kEight:
      return 8.5;
    case WeightBits::kFour:
      break;
  }
  return 4.7;
}

}  // namespace

StreamedType streamed_type(std::string_view type) {
  const auto* const found = std::ranges::find(kStreamedTypes, type, &std::pair<std::string_view, StreamedType>::first);
  return found == kStreamedTypes.end() ? StreamedType{} : found->second;
}

std::string_view type_of_product(bool experts, WeightBits bits) {
  for (const auto& [name, type] : kStreamedTypes) {
    if (type.op == (experts ? StreamedOp::kExperts : StreamedOp::kProduct) && type.bits == bits) return name;
  }
  return kStreamedTypes[0].first;
}

WeightBits bits_of_weights(double bits_per_weight) {
  if (bits_per_weight >= 12.0) return WeightBits::kHalf;
  return bits_per_weight >= 7.0 ? WeightBits::kEight : WeightBits::kFour;
}

double streamed_rows(const Graph& graph, OpId op, StreamedType type) {
  if (type.op == StreamedOp::kNone) return 0.0;
  const auto outputs = graph.outputs(op);
  const double tokens =
      outputs.empty() || graph.shape(outputs[0]).empty() ? 1.0 : static_cast<double>(graph.shape(outputs[0])[0]);
  if (type.op != StreamedOp::kExperts) return std::max(1.0, tokens);
  double bytes = 0.0;
  for (const TensorId tensor : graph.distinct_inputs(op)) {
    if (graph.role(graph.producer(tensor)) == Role::kParameter) bytes += static_cast<double>(graph.bytes(tensor));
  }
  const double weights = 8.0 * bytes / usual_bits(type.bits);
  return std::clamp(weights > 0.0 ? graph.flops(op) / (2.0 * weights) : 1.0, 1.0, std::max(1.0, tokens));
}

}  // namespace berth
