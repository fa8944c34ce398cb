// SPDX-License-Identifier: Apache-2.0
#include "plan/weights/settle.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "plan/search/placement.h"
#include "problem/weight_families.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostTries = 64;
constexpr std::uint64_t kShareOfTries = 50;  // one evaluation for so many of the budget
constexpr double kMostOvertime = 0.02;       // of the time budget

Bytes bytes_on_links(const Score& score) {
  Bytes sum = 0;
  for (const QueueUse& use : score.queues) sum += use.bytes;
  return sum;
}

Plan settle(const WeightFamilies& families, std::span<const std::size_t> some, Plan plan) {
  for (const std::size_t family : some) families.put(family, families.best_home(family, plan), plan);
  return plan;
}

// All at once where that is no worse, else by halves.
class FreeSettler {
 public:
  FreeSettler(Search& search, Plan plan)
      : search_(search),
        families_(search.problem()),
        plan_(std::move(plan)),
        latest_(search.elapsed_s() + overtime()) {}

  Plan run() {
    const std::vector<std::size_t> unsettled = families_.unsettled(plan_);
    if (unsettled.empty() || is_over()) return std::move(plan_);
    score_ = search_.has_best() && search_.best_plan() == plan_ ? search_.best_score() : search_.evaluate(plan_);
    try_to_settle(unsettled);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] double overtime() const { return kMostOvertime * search_.budget().time_s; }

  [[nodiscard]] bool is_over() const {
    const std::uint64_t evaluations = search_.budget().evaluations;
    if (evaluations > 0) return tries_ >= std::min(kMostTries, evaluations / kShareOfTries);
    return tries_ >= kMostTries || (tries_ > 0 && search_.elapsed_s() > latest_);
  }

  void try_to_settle(std::span<const std::size_t> some) {
    if (is_over()) return;
    ++tries_;
    Plan candidate = settle(families_, some, plan_);
    const Score* score = search_.evaluate_bounded(candidate, score_.step_time);
    if (score != nullptr && !better(score_, *score) && bytes_on_links(*score) <= bytes_on_links(score_)) {
      plan_ = std::move(candidate);
      score_ = *score;
    } else if (some.size() > 1) {
      try_to_settle(some.first(some.size() / 2));
      try_to_settle(some.subspan(some.size() / 2));
    }
  }

  Search& search_;
  const WeightFamilies families_;
  Plan plan_;
  Score score_;
  const double latest_;
  std::uint64_t tries_ = 0;
};

}  // namespace

Plan with_settled_weights(const Problem& problem, Plan plan) {
  const WeightFamilies families(problem);
  const std::vector<std::size_t> unsettled = families.unsettled(plan);
  return settle(families, unsettled, std::move(plan));
}

Result<Plan> submit_settled(Search& search, Plan plan, std::string_view planner) {
  Plan settled = with_settled_weights(search.problem(), plan);
  if (settled == plan) return submit(search, std::move(plan), planner);
  Result<Plan> result = submit(search, settled, planner);
  if (!result || search.last_score().feasible || search.should_stop()) return result;
  const Score score = search.last_score();
  Result<Plan> as_it_is = submit(search, std::move(plan), planner);
  if (as_it_is && better(search.last_score(), score)) return as_it_is;
  return submit(search, std::move(settled), planner);
}

Plan settle_for_free(Search& search, Plan plan) {
  if (search.is_measured()) return plan;
  return FreeSettler(search, std::move(plan)).run();
}

}  // namespace berth
