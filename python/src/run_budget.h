// SPDX-License-Identifier: Apache-2.0
// What a planner that is a function of Python may simulate in one run. Its problem judges plans by this alone, so that
// nobody has more than others.
#pragma once

#include <mutex>

#include "bindings.h"
#include "plan/search/search.h"

namespace berth::python {

// The budget is used up. Nobody need catch it: the run ends with the best plan that was seen.
struct BudgetSpent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class RunBudget {
 public:
  explicit RunBudget(Search& search) : search_(&search) {}

  // Scores of legal plans. Of a batch that is larger than what is left the first plans are judged and remembered; then,
  // and if nothing is left at all, it ends with BudgetSpent. Without the GIL.
  const BatchScores& judge(const PlanBatch& plans);
  // The run is over: whoever kept this gets nothing any more. With the GIL.
  void end();

  // With the GIL, as Python has them.
  void count(std::uint64_t evaluations);  // for who evaluates by other means
  [[nodiscard]] bool is_spent() const { return search_ == nullptr || search_->should_stop(); }
  [[nodiscard]] std::uint64_t evaluations() const { return search_ == nullptr ? 0 : search_->evaluations(); }
  [[nodiscard]] std::optional<std::uint64_t> evaluations_left() const;  // none: the limit is a time
  [[nodiscard]] std::optional<double> seconds_left() const;             // none: it is a number of evaluations
  [[nodiscard]] std::uint64_t seed() const { return search_ == nullptr ? 0 : search_->budget().seed; }
  [[nodiscard]] int threads() const { return search_ == nullptr ? 1 : search_->budget().threads; }

 private:
  Search* search_;
  std::mutex busy_;  // one batch at a time
};

}  // namespace berth::python
