// SPDX-License-Identifier: Apache-2.0
#include "services/compare/compare.h"

#include <algorithm>

#include "services/small_problem.h"

namespace berth {
namespace {

CompareRequest small_comparison() {
  return {.problem = small_problem(),
          .planners = {chosen(*find_classical_planner("round-robin")), chosen(*find_classical_planner("single"))},
          .budget = {.evaluations = 20}};
}

TEST(Compare, RowsOfPlannersAndFilesBestFirst) {
  CompareRequest request = small_comparison();
  request.plans = {plan_file("heft", "compare_heft.json")};
  ListeningCaller caller;
  const Result<CompareAnswer> answer = compare(request, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  const std::vector<Outcome>& rows = answer->comparison.rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const Outcome& row) { return row.score.step_time; }));
  EXPECT_NE(std::ranges::find(rows, "compare_heft.json", &Outcome::planner), rows.end());
  EXPECT_FALSE(answer->before);
  EXPECT_FALSE(failure_of(*answer));
}

TEST(Compare, AChangedMachineIsComparedWithTheOneAsItIs) {
  CompareRequest request = small_comparison();
  request.problem.changes.settings = {"gpu0.flops=2x"};
  ListeningCaller caller;
  const Result<CompareAnswer> answer = compare(request, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_TRUE(answer->before);
  EXPECT_EQ(answer->before->comparison.rows.size(), answer->comparison.rows.size());
  EXPECT_NE(answer->before->comparison.rows.front().score.step_time, answer->comparison.rows.front().score.step_time);
}

TEST(Compare, SaysWhyNothingFits) {
  CompareRequest request = small_comparison();
  request.problem.changes.settings = {"gpu.memory=1MiB", "cpu.memory=1MiB"};
  ListeningCaller caller;
  const Result<CompareAnswer> answer = compare(request, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  const std::optional<Error> failure = failure_of(*answer);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::kInfeasible);
  EXPECT_TRUE(failure->message.starts_with("no planner found a plan")) << failure->message;
}

TEST(Compare, ACallerWhoStopsGetsRowsThatWereNotRun) {
  ListeningCaller caller;
  caller.stop = true;
  const Result<CompareAnswer> answer = compare(small_comparison(), caller);
  ASSERT_TRUE(answer);
  for (const Outcome& row : answer->comparison.rows) EXPECT_FALSE(row.started);
  EXPECT_EQ(failure_of(*answer)->message, "interrupted before any planner found a plan that fits in memory");
}

}  // namespace
}  // namespace berth
