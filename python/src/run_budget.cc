// SPDX-License-Identifier: Apache-2.0
#include "run_budget.h"

#include <algorithm>

namespace berth::python {

const BatchScores& RunBudget::judge(const PlanBatch& plans) {
  constexpr const char* kSpent = "the budget of this run is used up";
  const std::lock_guard lock(busy_);
  if (is_spent()) throw BudgetSpent(kSpent);
  const BatchScores& scores = search_->evaluate(plans);
  if (scores.size() < plans.size) throw BudgetSpent(kSpent);
  return scores;
}

void RunBudget::end() {
  const py::gil_scoped_release others_may_run;  // who holds the lock may wait for it
  const std::lock_guard lock(busy_);
  search_ = nullptr;
}

void RunBudget::count(std::uint64_t evaluations) {
  if (search_ != nullptr) search_->count_evaluations(evaluations);
}

std::optional<std::uint64_t> RunBudget::evaluations_left() const {
  if (search_ == nullptr) return 0;
  const std::uint64_t all = search_->budget().evaluations;
  if (all == 0) return std::nullopt;
  return search_->evaluations() < all ? all - search_->evaluations() : 0;
}

std::optional<double> RunBudget::seconds_left() const {
  if (search_ == nullptr) return 0.0;
  if (search_->budget().evaluations > 0) return std::nullopt;
  return std::max(search_->seconds_left(), 0.0);
}

}  // namespace berth::python
