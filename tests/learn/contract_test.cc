// SPDX-License-Identifier: Apache-2.0
// What every planner promises (tests/plan/planner_contract_test.cc), for the learned ones.
#include <gtest/gtest.h>

#include <atomic>

#include "learn/method_options.h"
#include "learn/planners.h"
#include "plan/toys.h"
#include "sim/bounds/bounds.h"
#include "support/as_pipeline.h"
#include "support/patience.h"

namespace berth::learn {
namespace {

class LearnedContract : public testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Planner> planner() { return make_learned_planner(preset(GetParam(), "default").value()); }
  static Result<Plan> run(const Problem& problem, const Budget& budget) {
    Search search(problem, budget);
    return planner()->plan(search);
  }
};

TEST_P(LearnedContract, ReturnsLegalPlansForBothObjectives) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    for (const Problem& problem : {toy.problem, as_pipeline(toy.problem)}) {
      const Result<Plan> plan = run(problem, {.evaluations = 20, .seed = 3});
      ASSERT_TRUE(plan) << plan.error().message;
      const std::optional<Error> broken = verify(problem, *plan);
      EXPECT_FALSE(broken) << broken->message;
    }
  }
}

TEST_P(LearnedContract, DependsOnTheSeedAloneWhateverTheThreads) {
  const Problem problem = heft_example();
  const Plan one = run(problem, {.evaluations = 100, .seed = 5, .threads = 1}).value();
  EXPECT_EQ(one, run(problem, {.evaluations = 100, .seed = 5, .threads = 1}).value());
  EXPECT_EQ(one, run(problem, {.evaluations = 100, .seed = 5, .threads = 3}).value());
}

TEST_P(LearnedContract, UsesNoMoreEvaluationsThanItMay) {
  const Problem problem = heft_example();
  for (const std::uint64_t evaluations : {1, 5, 16, 17, 40}) {
    Search search(problem, {.evaluations = evaluations}, 0);
    ASSERT_TRUE(planner()->plan(search));
    EXPECT_EQ(search.evaluations(), evaluations);
  }
}

TEST_P(LearnedContract, GivesAPlanEvenIfItMustStopAtOnce) {
  const Problem problem = heft_example();
  const std::atomic<bool> stop{true};
  Search search(problem, {.time_s = 100 * kPatience});
  search.set_stop_flag(&stop);
  const Result<Plan> plan = planner()->plan(search);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(verify(problem, *plan));
  EXPECT_LT(search.elapsed_s(), kPatience);
}

// No plan that spreads work keeps a limit of no crossings: what it cannot learn must not keep it busy for ever.
TEST_P(LearnedContract, EndsWhereNoSampleIsLegal) {
  Constraints constraints;
  constraints.max_crossings = 0;
  const Problem problem = constrained_toy("a:1 -> b:2/-/- -> c:-/1/1", kTwoGpus, constraints);
  Search search(problem, {.evaluations = 50}, 0);
  const Result<Plan> plan = planner()->plan(search);
  EXPECT_FALSE(plan);
}

TEST_P(LearnedContract, StopsOnTime) {
  const Problem problem = heft_example();
  Search search(problem, {.time_s = 0.5}, 0);
  ASSERT_TRUE(planner()->plan(search));
  EXPECT_LT(search.elapsed_s(), kPatience);
}

INSTANTIATE_TEST_SUITE_P(Planners, LearnedContract, testing::ValuesIn(method_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace berth::learn
