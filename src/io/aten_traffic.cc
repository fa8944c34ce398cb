// SPDX-License-Identifier: Apache-2.0
#include "io/aten_traffic.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "io/aten_outputs.h"

namespace berth {
namespace {

enum class Reads : std::uint8_t {
  kGathered,   // from one input only about as much as it writes
  kShapeOnly,  // of one input only the shape
  kNothing,    // neither reads nor writes data
};

struct Rule {
  std::string_view op;
  std::size_t input;  // position among the tensor inputs
  Reads reads;
};

// From the definitions of the ops (PyTorch's native_functions.yaml and derivatives.yaml).
constexpr std::array kRules{
    Rule{"_assert_tensor_metadata", 0, Reads::kNothing},
    Rule{"_unsafe_view", 0, Reads::kNothing},
    Rule{"avg_pool2d_backward", 1, Reads::kShapeOnly},
    Rule{"embedding", 0, Reads::kGathered},
    Rule{"empty_like", 0, Reads::kNothing},
    Rule{"full_like", 0, Reads::kShapeOnly},
    Rule{"gather", 0, Reads::kGathered},
    Rule{"index", 0, Reads::kGathered},
    Rule{"index_select", 0, Reads::kGathered},
    Rule{"max_pool2d_with_indices_backward", 1, Reads::kShapeOnly},
    Rule{"new_empty", 0, Reads::kNothing},
    Rule{"new_full", 0, Reads::kShapeOnly},
    Rule{"new_ones", 0, Reads::kShapeOnly},
    Rule{"new_zeros", 0, Reads::kShapeOnly},
    Rule{"nll_loss2d_backward", 1, Reads::kShapeOnly},
    Rule{"nll_loss2d_forward", 0, Reads::kGathered},
    Rule{"nll_loss_backward", 1, Reads::kShapeOnly},
    Rule{"nll_loss_forward", 0, Reads::kGathered},
    Rule{"ones_like", 0, Reads::kShapeOnly},
    Rule{"zeros_like", 0, Reads::kShapeOnly},
};

// "aten.embedding.default" -> "embedding"
std::string_view base_name(std::string_view type) {
  constexpr std::string_view kPrefix = "aten.";
  if (!type.starts_with(kPrefix)) return {};
  type.remove_prefix(kPrefix.size());
  return type.substr(0, type.find('.'));
}

}  // namespace

Bytes aten_bytes_touched(std::string_view type, std::span<const Bytes> inputs, Bytes outputs) {
  const std::string_view name = base_name(type);
  const auto rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.op == name; });
  if (rule == kRules.end()) return -1;
  if (rule->reads == Reads::kNothing) return 0;
  if (rule->input >= inputs.size()) return -1;
  Bytes sum = outputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i != rule->input) sum = clamped_sum(sum, inputs[i]);
  }
  if (rule->reads == Reads::kGathered) sum = clamped_sum(sum, std::min(inputs[rule->input], outputs));
  return sum;
}

}  // namespace berth
