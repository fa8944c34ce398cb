// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/favourite_children.h"

#include <gtest/gtest.h>

#include <atomic>

#include "plan/construct/schedule_program.h"
#include "plan/toys.h"

namespace berth {
namespace {

TEST(FavouriteChildren, TheLinearProgramOfAFork) {
  // One second, then two children of two seconds; transfers of 1 and 3 s, of which one may be saved in all:
  // 3 + x = 3 + 3 (1 - x), so x = 3/4 and the step takes 3.75 s.
  const ScheduleProgram fork{{1, 2, 2}, {{0, 1, 1, true}, {0, 2, 3, true}}};
  const Problem none = toy_problem("a:1", kPair);
  const Search search(none, {.evaluations = 1});
  const ScheduleSolution solution = solve(fork, search, 0);
  EXPECT_TRUE(solution.optimal);
  EXPECT_NEAR(solution.length, 3.75, 1e-9);
  EXPECT_NEAR(solution.transferred[0], 0.75, 1e-9);
  EXPECT_NEAR(solution.transferred[1], 0.25, 1e-9);
}

TEST(FavouriteChildren, AreTheEndsOfTheDearEdgeAndTheLinksOfChains) {
  const Problem problem = toy_problem("a:1:1B:3B -> b:2; a.1 -> c:2 -> d:1", kPair);
  const Search search(problem, {.evaluations = 1});
  const FavouriteChildren found = favourite_children(search);
  EXPECT_EQ(found.child_of, (std::vector<OpId>{OpId{2}, kNoOp, OpId{3}, kNoOp}));
  EXPECT_NE(found.note.find("linear program of 2 edges"), std::string::npos) << found.note;
}

TEST(FavouriteChildren, ByTheLargestTensorEveryChildIsClaimedOnce) {
  const Problem problem = toy_problem("a:1:4B -> c:1; b:1:9B -> c; a -> d:1", kPair);
  EXPECT_EQ(children_by_largest_tensor(problem), (std::vector<OpId>{OpId{3}, kNoOp, OpId{1}, kNoOp}));
}

TEST(FavouriteChildren, AnInterruptedSearchFallsBackWithAWord) {
  Rng rng(4);
  const Problem problem = random_problem(rng, 500);
  const std::atomic<bool> stop{true};
  Search search(problem, {.time_s = 3600.0});
  search.set_stop_flag(&stop);
  EXPECT_NE(favourite_children(search).note.find("no time for the linear program"), std::string::npos);
}

}  // namespace
}  // namespace berth
