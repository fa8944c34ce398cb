// SPDX-License-Identifier: Apache-2.0
// Ops of a language model that is served: what they read, by the name of their type.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "graph/graph.h"

namespace berth {

enum class StreamedOp : std::uint8_t { kNone, kProduct, kExperts, kAttention };
enum class WeightBits : std::uint8_t { kHalf, kEight, kFour };  // 16 and more, about 8, less than 7 per weight

// Of a type of op: "streamed_product", "streamed_product_8bit", "streamed_experts_4bit", "cached_attention".
struct StreamedType {
  StreamedOp op = StreamedOp::kNone;
  WeightBits bits = WeightBits::kHalf;
};
StreamedType streamed_type(std::string_view type);
std::string_view type_of_product(bool experts, WeightBits bits);  // the name that says so
WeightBits bits_of_weights(double bits_per_weight);

// Rows of activations that a matrix meets: tokens of a step, or of an expert its share of them.
double streamed_rows(const Graph& graph, OpId op, StreamedType type);

}  // namespace berth
