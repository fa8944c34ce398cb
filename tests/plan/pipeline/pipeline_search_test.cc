// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/pipeline_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/pipeline/dp.h"
#include "plan/toys.h"
#include "sim/pipeline_loads.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"

namespace berth {
namespace {

Score run_search(const Problem& problem, std::uint64_t moves = 200'000) {
  Search search(problem, {.evaluations = moves});
  const Plan plan = plan_pipeline(search).value();
  EXPECT_EQ(verify(problem, plan), std::nullopt);
  return simulate(problem, plan);
}

TEST(PipelineSearch, ReturnsToADeviceWhereThatPays) {
  // In one order 6 of the 10 s are on one side of any cut; a and c against b is 5 to 5.
  const Problem problem = as_pipeline(toy_problem("a:90/4/4:0B -> b:90/5/5:0B -> c:90/1/1", kSmallGpus));
  Search search(problem, {.time_s = 1000.0});
  EXPECT_EQ(to_seconds(simulate(problem, DpPlanner().plan(search).value()).step_time), 6);
  EXPECT_EQ(to_seconds(run_search(problem).step_time), 5);
}

TEST(PipelineSearch, StaysWithinMemoryAndLimits) {
  const std::string chain = "a:90/4/4:0B -> b:90/5/5:0B -> c:90/1/1";
  const Score tight =
      run_search(as_pipeline(toy_problem(chain, kSmallGpus), {6, 5, 5}));  // a and c do not fit together
  EXPECT_TRUE(tight.feasible);
  EXPECT_EQ(to_seconds(tight.step_time), 6);
  Constraints limits;
  limits.max_crossings = 1;
  EXPECT_EQ(to_seconds(run_search(as_pipeline(constrained_toy(chain, kSmallGpus, limits))).step_time), 6);
  limits.max_devices = 1;
  EXPECT_EQ(to_seconds(run_search(as_pipeline(constrained_toy(chain, kSmallGpus, limits))).step_time), 10);
}

// The best of all plans, by counting through them.
std::optional<Picoseconds> least_load(const Problem& problem) {
  const PipelineModel model(problem);
  const std::size_t devices = problem.machine().num_devices();
  std::vector<DeviceId> device_of(problem.num_units(), DeviceId{0});
  std::optional<Picoseconds> best;
  while (true) {
    bool legal = true;
    for (std::uint32_t unit = 0; unit < device_of.size(); ++unit)
      legal = legal && (problem.unit_allowed(unit) & device_bit(device_of[unit])) != 0;
    if (legal) {
      const PipelineLoads loads(model, device_of);
      if (loads.over_capacity() == 0 && (!best || loads.largest_load() < *best)) best = loads.largest_load();
    }
    std::size_t unit = 0;
    while (unit < device_of.size() && index(device_of[unit]) + 1 == devices) device_of[unit++] = DeviceId{0};
    if (unit == device_of.size()) return best;
    device_of[unit] = DeviceId(index(device_of[unit]) + 1);
  }
}

TEST(PipelineSearch, FindsTheOptimumOfSmallProblems) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = as_pipeline(random_problem(rng, 6));
    if (std::pow(problem.machine().num_devices(), problem.num_units()) > 20'000) continue;
    const auto best = least_load(problem);
    const Score score = run_search(problem, 50'000);
    ASSERT_EQ(score.feasible, best.has_value());
    if (!best) continue;
    EXPECT_EQ(score.step_time, *best);
    ++compared;
  }
  EXPECT_GT(compared, 15);
}

TEST(PipelineSearch, DependsOnTheSeedAloneWhenEvaluationsAreCounted) {
  Rng rng(3);
  const Problem problem = as_pipeline(random_problem(rng, 80));
  Search once(problem, {.time_s = 1e-9, .evaluations = 30'000, .seed = 5}),
      again(problem, {.evaluations = 30'000, .seed = 5});
  EXPECT_EQ(plan_pipeline(once).value(), plan_pipeline(again).value());
  EXPECT_LE(once.evaluations(), 32'000U);
}

TEST(PipelineSearch, CopesWithAllToys) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    const Problem problem = as_pipeline(toy.problem);
    Search search(problem, {.evaluations = 5000});
    const Result<Plan> plan = plan_pipeline(search);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(verify(problem, *plan), std::nullopt);
    const Score score = simulate(problem, *plan);
    EXPECT_GE(score.step_time, search.lower_bound());
    EXPECT_FALSE(better(search.best_score(), score));
  }
}

}  // namespace
}  // namespace berth
