// SPDX-License-Identifier: Apache-2.0
// PlanValue: what of a score counts when plans are compared, for searches that keep many. Less is better; the order is
// that of better(Score, Score).
#pragma once

#include <compare>
#include <limits>

#include "sim/timeline.h"

namespace berth {

struct PlanValue {
  bool is_infeasible = true;
  Bytes over = std::numeric_limits<Bytes>::max();  // of memory; the default stands for plans that break a constraint
  Picoseconds step_time = 0;
  auto operator<=>(const PlanValue&) const = default;
};

inline PlanValue value_of(const Score& score) {
  return {!score.feasible, score.overflow ? score.overflow->over : 0, score.step_time};
}

}  // namespace berth
