// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "plan/planner.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// a then b, 1 s on the first device and 2 s on the second; tensors are too large for "small".
Problem tight_ops() {
  return toy_problem("a:1/2:8B -> b:1/2:1B", "device cpu memory=4B; device gpu memory=99B; link cpu gpu latency=1");
}

TEST(Search, CountsEvaluationsAndStopsAtTheirLimitWhateverTheTime) {
  const Problem problem = tight_ops();
  Search search(problem, {.time_s = 0.0, .evaluations = 2});
  EXPECT_FALSE(search.should_stop());
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  EXPECT_FALSE(search.should_stop());
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  EXPECT_TRUE(search.should_stop());
  EXPECT_EQ(search.evaluations(), 2U);
}

TEST(Search, ForksForAnotherProblemOnWhatIsLeftOfItsBudget) {
  const Problem problem = tight_ops(), other = toy_problem("a:9 -> b:1", "2 devices");
  Search search(problem, {.evaluations = 4});
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  const std::unique_ptr<Search> forked = search.fork_for(other, to_picoseconds(3));
  EXPECT_FALSE(forked->has_best());
  EXPECT_EQ(forked->lower_bound(), to_picoseconds(3));
  while (!forked->should_stop()) forked->evaluate(toy_plan(other, "a@0 b@0"));
  EXPECT_EQ(forked->best_score().step_time, to_picoseconds(10));
  EXPECT_EQ(search.evaluations(), 1U) << "nothing is shared";
  search.take_count(*forked);
  search.take_count(*forked);
  EXPECT_EQ(search.evaluations(), 4U) << "each counts once";
  EXPECT_TRUE(search.should_stop());
  EXPECT_EQ(search.best_plan(), toy_plan(problem, "a@gpu b@gpu"));
}

TEST(Search, StopsWhenTimeIsUpIfEvaluationsAreNotLimited) {
  const Problem problem = tight_ops();
  Search long_search(problem, {.time_s = 1e6}), short_search(problem, {.time_s = 0.02});
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_FALSE(long_search.should_stop());
  EXPECT_TRUE(short_search.should_stop());
}

TEST(Search, ABatchEndsWithTheBudget) {
  const Problem problem = tight_ops();
  const GatheredPlans plans(std::vector<Plan>(7, toy_plan(problem, "a@gpu b@gpu")));
  Search search(problem, {.evaluations = 5});
  EXPECT_EQ(search.evaluate(plans.batch()).size(), 5U);
  EXPECT_EQ(search.evaluations(), 5U);
  EXPECT_EQ(search.evaluate(plans.batch()).size(), 0U);
}

TEST(Search, ABatchScoresLikeSinglePlansForAnyNumberOfThreads) {
  const Problem problem = tight_ops();
  std::vector<Plan> plans;
  for (const char* text : {"a@cpu b@cpu", "a@cpu b@gpu", "a@gpu b@cpu", "a@gpu b@gpu"})
    plans.push_back(toy_plan(problem, text));
  const GatheredPlans gathered(plans);
  for (const int threads : {1, 2, 3}) {
    Search search(problem, {.threads = threads});
    const BatchScores& scores = search.evaluate(gathered.batch());
    ASSERT_EQ(scores.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Score expected = simulate(problem, plans[i]);
      EXPECT_EQ(scores.step_time[i], expected.step_time);
      EXPECT_EQ(scores.feasible(i), expected.feasible);
    }
    EXPECT_EQ(search.best_plan(), plans[3]);
    EXPECT_EQ(search.best_score(), simulate(problem, plans[3]));
  }
}

TEST(Search, AFeasiblePlanBeatsAFasterOneOutOfMemory) {
  const Problem problem = tight_ops();
  Search search(problem, {});
  EXPECT_FALSE(search.has_best());
  EXPECT_FALSE(search.evaluate(toy_plan(problem, "a@cpu b@cpu")).feasible);
  EXPECT_EQ(to_seconds(search.best_score().step_time), 2.0);
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  EXPECT_EQ(to_seconds(search.best_score().step_time), 4.0);
  search.evaluate(toy_plan(problem, "a@cpu b@cpu"));
  EXPECT_EQ(to_seconds(search.best_score().step_time), 4.0);
}

TEST(Search, AFlagStopsItFromOutside) {
  const Problem problem = tight_ops();
  std::atomic<bool> stop{false};
  Search search(problem, {.evaluations = 100});
  search.set_stop_flag(&stop);
  EXPECT_FALSE(search.should_stop());
  stop = true;
  EXPECT_TRUE(search.should_stop());
  const GatheredPlans three(std::vector<Plan>(3, toy_plan(problem, "a@gpu b@gpu")));
  EXPECT_EQ(search.evaluate(three.batch()).size(), 0U);
  EXPECT_TRUE(search.evaluate(toy_plan(problem, "a@gpu b@gpu")).feasible) << "one plan is always granted";
}

TEST(Search, ReportsProgressAtMostEveryTenthOfASecond) {
  const Problem problem = tight_ops();
  Search search(problem, {});
  std::vector<SearchState> states;
  search.set_progress([&](const SearchState& state) { states.push_back(state); });
  search.evaluate(toy_plan(problem, "a@cpu b@cpu"));
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  for (int i = 0; i < 1000; ++i) search.tick();
  ASSERT_FALSE(states.empty());
  EXPECT_FALSE(states[0].best) << "nothing feasible yet";
  EXPECT_EQ(states[0].evaluations, 1U);
  EXPECT_EQ(states[0].lower_bound, search.lower_bound());
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  ASSERT_GE(states.size(), 2U);
  EXPECT_EQ(to_seconds(states.back().best.value()), 4.0);
  // However long the computer was busy with others: by the search's own clock.
  for (std::size_t i = 1; i < states.size(); ++i) EXPECT_GE(states[i].elapsed_s, states[i - 1].elapsed_s + 0.099);
}

TEST(Search, TakesPlansThatWereScoredElsewhere) {
  const Problem problem = tight_ops();
  Search search(problem, {.time_s = 0.0, .evaluations = 3});
  const Plan on_gpu = toy_plan(problem, "a@gpu b@gpu"), on_cpu = toy_plan(problem, "a@cpu b@cpu");
  search.add(on_cpu, simulate(problem, on_cpu));
  EXPECT_FALSE(search.best_score().feasible);
  search.add(on_gpu, simulate(problem, on_gpu));
  EXPECT_EQ(search.best_plan(), on_gpu);
  EXPECT_EQ(search.best_score(), simulate(problem, on_gpu));
  EXPECT_FALSE(search.should_stop());
  search.add(on_cpu, simulate(problem, on_cpu));
  EXPECT_EQ(search.best_plan(), on_gpu) << "a worse plan changes nothing";
  EXPECT_EQ(search.evaluations(), 3U);
  EXPECT_TRUE(search.should_stop()) << "they count against the budget";
}

TEST(Search, TellsOfPlansThatWereScoredElsewhere) {
  const Problem problem = tight_ops();
  Search search(problem, {});
  int shown = 0;
  search.set_progress([&](const SearchState&) { ++shown; });
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  const Plan plan = toy_plan(problem, "a@gpu b@gpu");
  search.add(plan, simulate(problem, plan));
  EXPECT_EQ(shown, 1);
}

TEST(Search, TakesABoundThatIsKnown) {
  const Problem problem = tight_ops();
  EXPECT_EQ(Search(problem, {}, Picoseconds{17}).lower_bound(), 17);
  EXPECT_EQ(to_seconds(Search(problem, {}).lower_bound()), 2.0);
}

}  // namespace
}  // namespace berth
