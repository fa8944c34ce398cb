// SPDX-License-Identifier: Apache-2.0
// The papers' table: every NMT model is too large for one K40, and fits with one layer per GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph_text.h"
#include "machine/library.h"
#include "plan/planners.h"
#include "sim/simulator.h"

namespace berth {
namespace {

Score score_of(const Problem& problem, std::string_view planner) {
  const auto infos = classical_planners();
  const auto info = std::find_if(infos.begin(), infos.end(), [&](const PlannerInfo& i) { return i.name == planner; });
  Search search(problem, {.evaluations = 10}, Picoseconds{0});
  const Result<Plan> plan = info->make()->plan(search);
  EXPECT_TRUE(plan.ok());
  return simulate(problem, *plan);
}

class NmtMemory : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Zoo, NmtMemory,
                         testing::Values(std::pair{"nmt-2", "k40x2"}, std::pair{"nmt-4", "k40x4"},
                                         std::pair{"nmt-8", "k40x8"}));

TEST_P(NmtMemory, OverflowsOneGpuAndFitsLayerByLayer) {
  const auto [model, machine_name] = GetParam();
  const auto graph = std::make_shared<const Graph>(must_build(model));
  Result<Machine> machine = builtin_machine(machine_name);
  ASSERT_TRUE(machine.ok());
  const Result<Problem> problem = make_problem(graph, std::make_shared<const Machine>(std::move(machine).value()));
  ASSERT_TRUE(problem.ok());
  const Score one = score_of(*problem, "gpu-only");
  EXPECT_FALSE(one.feasible);
  const Score layers = score_of(*problem, "expert-layers");
  EXPECT_TRUE(layers.feasible);
}

}  // namespace
}  // namespace berth
