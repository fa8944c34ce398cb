// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "machine/device_set.h"
#include "plan/toys.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"

namespace berth {
namespace {

struct Answer {
  std::optional<Picoseconds> best;  // of the feasible plans; none: there is no such plan
  bool proved = false;
  Picoseconds lower_bound = 0;
};

Answer solve(const Problem& problem, std::uint64_t evaluations = 10'000'000) {
  Search search(problem, {.evaluations = evaluations});
  const Result<Plan> plan = ExactPlanner().plan(search);
  Answer answer;
  if (!plan) return answer;
  EXPECT_FALSE(verify(problem, *plan));
  const Score score = simulate(problem, *plan);
  if (score.feasible) answer.best = score.step_time;
  answer.proved = search.note().starts_with("proved");
  answer.lower_bound = search.lower_bound();
  return answer;
}

// Every placement with every order of priorities, one after the other.
class EveryPlan {
 public:
  explicit EveryPlan(const Problem& problem) : problem_(problem), simulator_(problem) {
    for (const OpId op : problem.graph().ops()) {
      if (problem.graph().role(op) == Role::kCompute) timed_.push_back(op);
    }
    plan_.device_of.resize(problem.graph().num_ops());
  }

  [[nodiscard]] double count() const {
    double plans = 1.0;
    for (std::size_t i = 2; i <= timed_.size(); ++i) plans *= static_cast<double>(i);
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit)
      plans *= std::popcount(problem_.unit_allowed(unit));
    return plans;
  }

  std::optional<Picoseconds> best() {
    place(0);
    return best_;
  }

 private:
  void place(std::uint32_t unit) {
    if (unit == problem_.num_units()) return order();
    for (DeviceSet left = problem_.unit_allowed(unit); left != 0; left &= left - 1) {
      const DeviceId device = lowest_device(left);
      for (const OpId op : problem_.unit_ops(unit)) plan_.device_of[index(op)] = device;
      place(unit + 1);
    }
  }

  void order() {
    if (verify(problem_, plan_)) return;
    std::vector<double> ranks(timed_.size());
    std::iota(ranks.begin(), ranks.end(), 1.0);
    do {
      plan_.priority.assign(problem_.graph().num_ops(), 0.0);
      for (std::size_t i = 0; i < timed_.size(); ++i) plan_.priority[index(timed_[i])] = ranks[i];
      const Score& score = simulator_.run(plan_);
      if (score.feasible && (!best_ || score.step_time < *best_)) best_ = score.step_time;
    } while (std::next_permutation(ranks.begin(), ranks.end()));
    plan_.priority.clear();
  }

  const Problem& problem_;
  Simulator simulator_;
  std::vector<OpId> timed_;
  Plan plan_;
  std::optional<Picoseconds> best_;
};

TEST(Exact, EqualsEveryPlanTriedOnRandomProblems) {
  int solved = 0, without_plan = 0;
  for (std::uint64_t seed = 1; solved < 300; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 3 + seed % 5);
    EveryPlan every(problem);
    if (every.count() > 20'000) continue;
    const std::optional<Picoseconds> best = every.best();
    const Answer answer = solve(problem);
    ASSERT_EQ(answer.best, best) << "seed " << seed;
    ASSERT_TRUE(answer.proved) << "seed " << seed;
    if (best) {
      ASSERT_EQ(answer.lower_bound, *best) << "seed " << seed;
    }
    without_plan += best ? 0 : 1;
    ++solved;
  }
  EXPECT_GT(without_plan, 0);
}

TEST(Exact, ProvesTheOptimumOfTheHeftExample) {
  const Answer answer = solve(heft_example());
  EXPECT_EQ(answer.best, to_picoseconds(73));
  EXPECT_TRUE(answer.proved);
  EXPECT_EQ(answer.lower_bound, to_picoseconds(73));
}

}  // namespace
}  // namespace berth
