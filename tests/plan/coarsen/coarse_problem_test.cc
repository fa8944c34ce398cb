// SPDX-License-Identifier: Apache-2.0
#include "exact_set/coarse_problem.h"

#include <gtest/gtest.h>

#include "plan/layers/layers.h"
#include "plan/search/placement.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth {
namespace {

Grouping by_labels(const Problem& problem, const std::vector<std::uint32_t>& labels) {
  return join_equal_labels(problem, one_group_per_unit(problem), labels);
}

TEST(CoarseProblem, SumsTimesAndKeepsWhatCrosses) {
  const Problem fine =
      toy_problem("a:1/2:4B -> b:2/3:8B -> c:3/4:2B -> d:4/5:1B:out; b -> d", "2 devices, 1 s per byte");
  const CoarseProblem coarse = make_coarse_problem(fine, by_labels(fine, {0, 0, 1, 1})).value();
  const Graph& graph = coarse.problem.graph();
  ASSERT_EQ(graph.num_ops(), 2U);
  EXPECT_EQ(coarse.problem.duration(OpId{0}, DeviceId{0}), to_picoseconds(3));
  EXPECT_EQ(coarse.problem.duration(OpId{1}, DeviceId{1}), to_picoseconds(9));
  ASSERT_EQ(graph.outputs(OpId{0}).size(), 1U);  // b's tensor alone leaves the first group, once
  EXPECT_EQ(graph.bytes(graph.outputs(OpId{0})[0]), 8);
  EXPECT_EQ(graph.graph_outputs().size(), 1U);
  EXPECT_EQ(coarse.op_of, (std::vector<OpId>{OpId{0}, OpId{0}, OpId{1}, OpId{1}}));
}

TEST(CoarseProblem, JoinsGroupsThatDependOnEachOther) {
  const Problem fine = toy_problem("a:1 -> b:2 -> c:3; a -> d:4 -> c", "2 devices, 1 s per edge");
  const CoarseProblem coarse = make_coarse_problem(fine, by_labels(fine, {0, 1, 0, 2})).value();  // 0 -> 1 -> 0
  ASSERT_EQ(coarse.problem.graph().num_ops(), 1U);
  EXPECT_EQ(coarse.problem.duration(OpId{0}, DeviceId{0}), to_picoseconds(10));
}

TEST(CoarseProblem, ResidentBytesAndUpdatesStayWithTheirGroup) {
  const Problem fine = constrained_toy(kTraining, kTwoGpus, {});
  const CoarseProblem coarse = make_coarse_problem(fine, one_group_per_unit(fine)).value();
  Bytes before = 0, after = 0;
  for (const OpId op : fine.graph().ops()) before += fine.graph().resident_bytes(op);
  for (const OpId op : coarse.problem.graph().ops()) after += coarse.problem.graph().resident_bytes(op);
  EXPECT_EQ(before, after);
  for (const OpId op : fine.graph().ops()) {  // units stay together, devices stay allowed
    const OpId stands_for = coarse.op_of[index(op)];
    EXPECT_EQ(coarse.problem.unit(stands_for),
              coarse.problem.unit(coarse.op_of[index(fine.unit_ops(fine.unit(op))[0])]));
    EXPECT_EQ(coarse.problem.allowed(stands_for), fine.allowed(op));
  }
}

TEST(CoarseProblem, PlansOfRandomProblemsAreLegalForTheirOps) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Problem fine = random_problem(rng, 10 + seed);
    const Result<CoarseProblem> coarse = make_coarse_problem(fine, join_only_consumers(fine, one_group_per_unit(fine)));
    if (!coarse) continue;  // groups on a cycle without a common device
    const Plan plan = plan_on_one_device(coarse->problem, DeviceId{0});
    Plan carried_back;
    for (const OpId op : coarse->op_of) carried_back.device_of.push_back(plan.device(op));
    const auto broken = verify(fine, carried_back);
    EXPECT_FALSE(broken) << "seed " << seed << ": " << broken->message;
  }
}

}  // namespace
}  // namespace berth
