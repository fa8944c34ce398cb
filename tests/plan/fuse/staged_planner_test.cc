// SPDX-License-Identifier: Apache-2.0
// Placement, fusion and order one after the other: what each method promises, within any budget.
#include "plan/fuse/staged_planner.h"

#include <gtest/gtest.h>

#include <atomic>

#include "plan/planners.h"
#include "plan/toys.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/compare_timelines.h"
#include "support/patience.h"
#include "support/reference_simulator.h"

namespace berth {
namespace {

// Kernels that only launch take 1 s: fusing pays.
constexpr std::string_view kQuickGpus = "device g0 launch=1 rate=9; device g1 launch=1 rate=9; link g0 g1 latency=1";

Plan placement_by(std::string_view planner, const Problem& problem, const Budget& budget) {
  Search search(problem, budget);
  return find_classical_planner(planner)->make()->plan(search).value();
}

std::vector<StagedPlanner::Rival> rivals() {
  return {{"single", find_classical_planner("single")->make}, {"expert", find_classical_planner("expert")->make}};
}

std::vector<Stages> all_stages() {
  std::vector<Stages> all;
  for (const FusionInfo& fusion : fusion_methods()) {
    for (const ScheduleInfo& schedule : schedule_methods()) all.push_back({fusion.method, schedule.method});
  }
  return all;
}

// A search whose bound holds for fused plans.
Search search_of(const Problem& problem, const Budget& budget) {
  return Search(problem, budget, lower_bound(problem, true).value());
}

Result<Plan> run_staged(const Problem& problem, const Budget& budget, std::string_view planner, Stages stages) {
  Search search = search_of(problem, budget);
  return StagedPlanner(placement_by(planner, problem, budget), stages, rivals()).plan(search);
}

TEST(Staged, EveryCombinationIsLegalAndAboveItsBound) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    for (const Stages& stages : all_stages()) {
      const Result<Plan> plan = run_staged(toy.problem, {.evaluations = 30, .seed = 7}, "single", stages);
      ASSERT_TRUE(plan) << plan.error().message;
      EXPECT_FALSE(verify(toy.problem, *plan));
      const bool fused = !plan->fusions.empty();
      EXPECT_GE(simulate(toy.problem, *plan).step_time, lower_bound(toy.problem, fused).value());
    }
  }
}

TEST(Staged, DependsOnTheSeedAloneWhenEvaluationsAreCounted) {
  const PlanToy toy{"random", [] {
                      Rng rng(4);
                      return random_problem(rng, 60);
                    }()};
  for (const Stages& stages : all_stages()) {
    const Result<Plan> once =
        run_staged(toy.problem, {.time_s = 1e-9, .evaluations = 60, .seed = 3, .threads = 1}, "auto", stages);
    const Result<Plan> again = run_staged(toy.problem, {.evaluations = 60, .seed = 3, .threads = 2}, "auto", stages);
    ASSERT_TRUE(once && again);
    EXPECT_EQ(*once, *again);
  }
}

TEST(Staged, StopsOnTime) {
  Rng rng(5);
  const Problem problem = random_problem(rng, 3000);
  const Plan plan = placement_by("round-robin", problem, {});
  for (const Stages& stages : all_stages()) {
    Search search = search_of(problem, {.time_s = 0.2});
    ASSERT_TRUE(StagedPlanner(plan, stages, rivals()).plan(search));
    EXPECT_LE(search.elapsed_s(), kPatience);
  }
}

TEST(Staged, AnInterruptionStillGivesAPlan) {
  Rng rng(6);
  const Problem problem = random_problem(rng, 2000);
  const Plan given = placement_by("round-robin", problem, {});
  const std::atomic<bool> stop{true};
  for (const Stages& stages : all_stages()) {
    Search search = search_of(problem, {.time_s = 100 * kPatience});
    search.set_stop_flag(&stop);
    const Result<Plan> plan = StagedPlanner(given, stages, rivals()).plan(search);
    ASSERT_TRUE(plan);
    EXPECT_FALSE(verify(problem, *plan));
    EXPECT_LE(search.elapsed_s(), kPatience);
  }
}

TEST(Staged, TheBestFusionIsNeverWorseThanNone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    const Plan given = random_plan(problem, rng);
    Search search = search_of(problem, {.evaluations = 40, .seed = seed});
    const Plan best = StagedPlanner(given, {.fusion = FusionMethod::kBest}).plan(search).value();
    EXPECT_EQ(best.device_of, given.device_of);
    EXPECT_FALSE(better(simulate(problem, given), simulate(problem, best))) << "seed " << seed;
    for (const FusionMethod method : {FusionMethod::kGreedy, FusionMethod::kXla, FusionMethod::kNone}) {
      Search other = search_of(problem, {.evaluations = 40, .seed = seed});
      const Plan plan = StagedPlanner(given, {.fusion = method}).plan(other).value();
      EXPECT_FALSE(better(simulate(problem, plan), simulate(problem, best))) << "seed " << seed;
    }
    const auto found = difference(problem, simulate_timeline(problem, best), reference_simulate(problem, best));
    EXPECT_FALSE(found) << *found;
  }
}

// Apart: two chains of 2 x 4 s on two devices. Fused each chain takes 1 s, so one device takes 2 s, and two take 1 s.
TEST(Staged, FusesWhatThePlannerPlaced) {
  const Problem problem =
      toy_problem("a:4:1B:compute=0 -> b:4:1B:compute=0:out; c:4:1B:compute=0 -> d:4:1B:compute=0:out", kQuickGpus);
  const Plan plan = run_staged(problem, {.evaluations = 200}, "auto", {.fusion = FusionMethod::kBest}).value();
  EXPECT_EQ(plan.fusions.size(), 2U);
  EXPECT_EQ(to_seconds(simulate(problem, plan).step_time), 1);
  EXPECT_EQ(to_seconds(lower_bound(problem, true).value()), 0);
}

TEST(Staged, FifoAndNoneTakeEverythingOff) {
  const Problem problem = toy_problem("a:4 -> b:4; a -> c:2", kQuickGpus);
  Search search = search_of(problem, {.evaluations = 5});
  const Plan given = toy_plan(problem, "a@g0!3 b@g0!1 c@g0!2 {a b}");
  const Plan plan =
      StagedPlanner(given, {.fusion = FusionMethod::kNone, .schedule = ScheduleMethod::kFifo}).plan(search).value();
  EXPECT_TRUE(plan.fusions.empty());
  EXPECT_TRUE(plan.priority.empty());
}

TEST(Staged, PipelinesHaveNeitherOrderNorFusion) {
  const Problem problem = as_pipeline(toy_problem("a:4 -> b:4", kQuickGpus));
  EXPECT_EQ(run_staged(problem, {.evaluations = 5}, "single", {.fusion = FusionMethod::kBest}).error().code,
            ErrorCode::kBadInput);
}

}  // namespace
}  // namespace berth
