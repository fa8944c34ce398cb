// SPDX-License-Identifier: Apache-2.0
// BestPlan: the best of the plans it is shown, for stages that must return one of theirs, whatever else their search
// has seen. The first of equals stays.
#pragma once

#include <optional>
#include <utility>

#include "plan/plan_value.h"
#include "plan/planner.h"

namespace berth {

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
