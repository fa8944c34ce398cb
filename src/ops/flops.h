// SPDX-License-Identifier: Apache-2.0
// Flops of an op by the rule of its row in the op table: 2 per multiply-add of matrix products, convolutions, attention
// and recurrent layers; all else has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/op_table.h"

namespace berth {

using TensorSizes = std::optional<std::vector<std::int64_t>>;  // none: left out, or not known

// An op as the formulas see it. Every member has a default, so that callers may name just those they need.
struct OpFacts {
  std::vector<TensorSizes> inputs = {}, outputs = {};
  bool first_is_transposed = false;  // first factor of a product
  bool batch_is_inside = false;      // ... whose rows, when transposed, come before its batch
  bool conv_is_transposed = false;
  std::int64_t experts_used = 1;  // by every row, of a mixture
  std::string_view equation = {};
  double body_flops = 0.0;
};

// 0 where a size it needs is not known.
double flops_of(const FlopRule& rule, const OpFacts& op);

}  // namespace berth
