// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/list_search.h"

#include <gtest/gtest.h>

#include "plan/toys.h"

namespace berth {
namespace {

double best_of(const Problem& problem, std::uint64_t evaluations) {
  Search search(problem, {.evaluations = evaluations});
  search_lists(search);
  return to_seconds(search.best_score().step_time);
}

TEST(ListSearch, FindsAnOrderThatRanksDoNot) {
  // Three processors; the longest-first rule takes 5, 5, 4 first and ends at 11; 5 + 4, 5 + 4 and 3 + 3 + 3 end at 9.
  EXPECT_EQ(best_of(toy_problem("a:5; b:5; c:4; d:4; e:3; f:3; g:3", "3 devices"), 2000), 9.0);
}

TEST(ListSearch, TakesAWorseDeviceForAnOpWhereTheStepGains) {
  // a ends first on device 0, but then b must be fetched or run slowly: together on device 1 they take 3 + 1.
  EXPECT_EQ(best_of(toy_problem("a:2/3:4B -> b:9/1", "2 devices, 1 s per byte"), 200), 4.0);
}

TEST(ListSearch, StopsAtTheBound) {
  const Problem problem = toy_problem("a:1 -> b:1", "2 devices");
  Search search(problem, {.time_s = 1e6});
  search_lists(search);
  EXPECT_LE(search.evaluations(), 2U);
}

TEST(ListSearch, NeverLosesThePlanItBeganWith) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    Rng rng(3);
    Search search(toy.problem, {.evaluations = 60, .seed = 5});
    Plan start = random_plan(toy.problem, rng);
    if (verify(toy.problem, start)) continue;  // it may need more devices than allowed
    const Score before = search.evaluate(start);
    search_lists(search);
    EXPECT_FALSE(better(before, search.best_score()));
    EXPECT_FALSE(verify(toy.problem, search.best_plan()));
    EXPECT_LE(search.evaluations(), 62U);
  }
}

TEST(ListSearch, DependsOnTheSeedAlone) {
  Rng rng(8);
  const Problem problem = random_problem(rng, 80);
  const auto run = [&](std::uint64_t seed) {
    Search search(problem, {.evaluations = 200, .seed = seed});
    search_lists(search);
    return search.best_plan();
  };
  EXPECT_EQ(run(4), run(4));
}

TEST(ListSearch, LeavesThePipelineObjectiveAlone) {
  ExplicitCosts costs;
  costs.time_s = {{1, 1}, {1, 1}};
  const Problem problem =
      make_problem(toy_graph("a:1 -> b:1").graph, toy_machine("2 devices"), costs, {}, Objective::kPipeline).value();
  Search search(problem, {.evaluations = 10});
  search_lists(search);
  EXPECT_FALSE(search.has_best());
}

}  // namespace
}  // namespace berth
