// SPDX-License-Identifier: Apache-2.0
#include "plan/search/walkers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <vector>

#include "support/toy.h"

namespace berth {
namespace {

// 1 s per op on the first device, 2 s on the second.
Problem roomy_ops() {
  return toy_problem("a:1/2:8B -> b:1/2:1B", "device cpu memory=99B; device gpu memory=99B; link cpu gpu latency=1");
}

TEST(Walkers, EveryItemOnceAndItemsInTurns) {
  const Problem problem = roomy_ops();
  for (const int threads : {1, 2, 3, 8}) {
    Search search(problem, {.time_s = 1000, .threads = threads});
    Walkers walkers(search);
    ASSERT_EQ(walkers.size(), static_cast<std::size_t>(threads));
    std::vector<const Search*> walker(5, nullptr);
    std::vector<int> times(5, 0);
    walkers.for_each(5, [&](Search& own, std::size_t item) {
      walker[item] = &own;
      ++times[item];
    });
    EXPECT_EQ(times, std::vector<int>(5, 1));
    EXPECT_EQ(walker[0], &search);
    EXPECT_EQ(std::set(walker.begin(), walker.end()).size(), std::min<std::size_t>(walkers.size(), 5));
    for (std::size_t item = walkers.size(); item < 5; ++item) EXPECT_EQ(walker[item], walker[item - walkers.size()]);
  }
}

TEST(Walkers, TheBestOfAllComesBackAndAllEvaluationsCount) {
  const Problem problem = roomy_ops();
  const std::vector<Plan> plans{toy_plan(problem, "a@gpu b@gpu"), toy_plan(problem, "a@cpu b@gpu"),
                                toy_plan(problem, "a@cpu b@cpu"), toy_plan(problem, "a@gpu b@cpu")};
  Search search(problem, {.time_s = 1000, .threads = 3});
  search.evaluate(plans[0]);
  std::atomic<int> knew_the_start = 0;
  Walkers(search).for_each(plans.size(), [&](Search& own, std::size_t item) {
    knew_the_start += own.has_best() ? 1 : 0;
    own.evaluate(plans[item]);
  });
  EXPECT_EQ(knew_the_start, 4);
  EXPECT_EQ(search.best_plan(), plans[2]);
  EXPECT_EQ(search.evaluations(), 5U);
}

TEST(Walkers, WalkersShareTheEndAndTheFlagToStop) {
  const Problem problem = roomy_ops();
  std::atomic<bool> stop = false;
  Search search(problem, {.time_s = 1000, .threads = 2});
  search.set_stop_flag(&stop);
  search.evaluate(toy_plan(problem, "a@gpu b@gpu"));
  std::vector<int> early(2), late(2);
  {
    const Search::Part part(search, 0.0);
    Walkers(search).for_each(2, [&](Search& own, std::size_t i) { early[i] = own.should_stop() ? 1 : 0; });
  }
  EXPECT_EQ(early, (std::vector<int>{1, 1}));
  Walkers(search).for_each(2, [&](Search& own, std::size_t i) {
    if (i == 0) stop = true;
    while (!own.should_stop()) {
    }
    late[i] = 1;
  });
  EXPECT_EQ(late, (std::vector<int>{1, 1}));
}

TEST(Walkers, ALimitOnEvaluationsLeavesOneWalker) {
  const Problem problem = roomy_ops();
  Search search(problem, {.evaluations = 9, .threads = 4});
  EXPECT_EQ(Walkers(search).size(), 1U);
}

}  // namespace
}  // namespace berth
