// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <limits>
#include <optional>
#include <utility>

#include "plan/search/search.h"
#include "sim/timeline.h"

namespace berth {

// What of a score counts when plans are compared, for searches that keep many. Less is better; the order is that of
// better(Score, Score).
struct PlanValue {
  bool is_infeasible = true;
  Bytes over = std::numeric_limits<Bytes>::max();  // of memory; the default stands for plans that break a constraint
  Picoseconds step_time = 0;
  auto operator<=>(const PlanValue&) const = default;
};

inline PlanValue value_of(const Score& score) {
  return {!score.feasible, score.overflow ? score.overflow->over : 0, score.step_time};
}

inline PlanValue value_of(const BatchScores& scores, std::size_t plan) {
  return {!scores.feasible(plan), scores.over[plan], scores.step_time[plan]};
}

// The best of the plans it is shown, for stages that must return one of theirs, whatever else their search has seen.
// The first of equals stays.
class BestPlan {
 public:
  explicit BestPlan(Search& search) : search_(search) {}

  // Evaluates it; says whether it is the best so far.
  bool offer(Plan plan) {
    const PlanValue value = value_of(search_.evaluate(plan));
    if (plan_ && value >= value_) return false;
    plan_ = std::move(plan);
    value_ = value;
    return true;
  }
  [[nodiscard]] bool has_any() const { return plan_.has_value(); }
  [[nodiscard]] const Plan& plan() const { return *plan_; }
  Plan take() { return *std::move(plan_); }

 private:
  Search& search_;
  std::optional<Plan> plan_;
  PlanValue value_;
};

}  // namespace berth
