// SPDX-License-Identifier: Apache-2.0
#include "services/plan/place.h"

#include "services/compare/compare.h"
#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/plan/single_device.h"
#include "services/small_problem.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"

namespace berth {
namespace {

ChosenPlanner planner_named(std::string_view name) { return chosen(*find_classical_planner(name)); }

PlaceRequest small_request(std::string_view planner) {
  return {.problem = small_problem(), .planner = planner_named(planner), .budget = {.evaluations = 20}};
}

TEST(Place, AnswersWithAPlanItsWorthAndTheBestSingleDevice) {
  ListeningCaller caller;
  const Result<PlaceAnswer> answer = place(small_request("heft"), caller);
  ASSERT_TRUE(answer);
  const Problem& problem = answer->loaded.problem;
  EXPECT_FALSE(verify(problem, answer->outcome.plan));
  EXPECT_EQ(answer->outcome.score.step_time, simulate(problem, answer->outcome.plan).step_time);
  EXPECT_EQ(answer->outcome.planner, "heft");
  ASSERT_TRUE(answer->single);
  EXPECT_EQ(answer->single->planner, "single");
  EXPECT_FALSE(answer->before);
  EXPECT_EQ(caller.begun, 1);
}

TEST(Place, ReadsBackWhatItWrote) {
  PlaceRequest request = small_request("round-robin");
  request.output = temporary_file("place_service_plan.json");
  ListeningCaller caller;
  const Result<PlaceAnswer> placed = place(request, caller);
  ASSERT_TRUE(placed && placed->saved.ok());
  const Result<ScoreAnswer> scored = score({.problem = request.problem, .plan = request.output}, caller);
  ASSERT_TRUE(scored);
  EXPECT_EQ(scored->outcome.plan, placed->outcome.plan);
  EXPECT_EQ(scored->outcome.score.step_time, placed->outcome.score.step_time);
}

TEST(Place, APlanThatCannotBeWrittenIsInTheAnswer) {
  PlaceRequest request = small_request("single");
  request.output = temporary_file("no such folder/plan.json");
  ListeningCaller caller;
  const Result<PlaceAnswer> placed = place(request, caller);
  ASSERT_TRUE(placed);
  EXPECT_FALSE(placed->saved.ok());
  EXPECT_FALSE(placed->outcome.plan.device_of.empty());
}

TEST(Place, ShowsTheMachineAsItIsBesideAChange) {
  PlaceRequest request = small_request("gpu-only");
  request.problem.changes.settings = {"gpu.flops=2x"};
  ListeningCaller caller;
  const Result<PlaceAnswer> answer = place(request, caller);
  ASSERT_TRUE(answer && answer->before);
  EXPECT_EQ(answer->before->loaded.problem.machine().name(), "k40x2");
  EXPECT_GT(answer->before->outcome.score.step_time, answer->outcome.score.step_time);
}

TEST(Place, AGivenPlacementKeepsItsDevicesAlsoOnTheMachineAsItIs) {
  PlaceRequest request = small_request("round-robin");
  request.output = temporary_file("place_service_devices.json");
  ListeningCaller caller;
  const Result<PlaceAnswer> placed = place(request, caller);
  ASSERT_TRUE(placed);
  PlaceRequest ordered{.problem = request.problem, .placement = request.output, .budget = {.evaluations = 20}};
  ordered.stages = find_stages("", "critical-path").value();
  ordered.problem.changes.settings = {"gpu.flops=2x"};
  const Result<PlaceAnswer> answer = place(ordered, caller);
  ASSERT_TRUE(answer && answer->before);
  EXPECT_EQ(answer->outcome.plan.device_of, placed->outcome.plan.device_of);
  EXPECT_EQ(answer->before->outcome.plan.device_of, placed->outcome.plan.device_of);
}

TEST(Place, StopsWithTheBestPlanSoFar) {
  ListeningCaller caller;
  caller.stop = true;
  PlaceRequest request = small_request("anneal");
  request.budget = {.time_s = 3600.0};
  const Result<PlaceAnswer> answer = place(request, caller);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->outcome.interrupted);
  EXPECT_FALSE(verify(answer->loaded.problem, answer->outcome.plan));
  EXPECT_FALSE(answer->single);
}

// A planner that puts every op on the first device, whether it may run there or not.
class Lawless : public Planner {
 public:
  static Plan plan_of(const Problem& problem) {
    Plan plan;
    plan.device_of.assign(problem.graph().num_ops(), DeviceId{0});
    return plan;
  }
  Result<Plan> plan(Search& search) override { return plan_of(search.problem()); }
};

TEST(RunPlannerDeathTest, APlanThatBreaksARuleIsABugAndNeverAnOutcome) {
  ListeningCaller caller;
  ProblemRequest request{.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"};
  const DemandForm& pin = *std::ranges::find(demand_forms(), Demand::Kind::kPin, &DemandForm::kind);
  request.demands = {parse_demand(pin, "type:matmul=gpu0", "--pin type:matmul=gpu0").value()};
  const LoadedProblem loaded = load_problem(request, caller).value();
  const ChosenPlanner lawless{"lawless", [] { return std::make_unique<Lawless>(); }};
  EXPECT_EXIT(run_planner(loaded.problem, lawless, {}, 0, caller), testing::ExitedWithCode(3), "lawless");
  EXPECT_EXIT(check_verified(loaded.problem, "shared", Lawless::plan_of(loaded.problem)), testing::ExitedWithCode(3),
              "the plan of 'shared'");
}

TEST(Compare, RanksRowsAndSharesWhatIsKnown) {
  ListeningCaller caller;
  const LoadedProblem loaded = load_problem({.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"}, caller).value();
  const std::vector<ChosenPlanner> planners{planner_named("cpu-only"), planner_named("gpu-only"),
                                            planner_named("single")};
  const Comparison comparison = compare(loaded.problem, planners, {.evaluations = 10}, {}, caller);
  ASSERT_EQ(comparison.rows.size(), 3U);
  for (std::size_t i = 1; i < comparison.rows.size(); ++i) {
    EXPECT_LE(comparison.rows[i - 1].score.step_time, comparison.rows[i].score.step_time);
    EXPECT_EQ(comparison.rows[i].lower_bound, comparison.rows.front().lower_bound);
  }
  ASSERT_TRUE(comparison.single);
  EXPECT_EQ(comparison.single->score.step_time, comparison.rows.front().score.step_time);
}

TEST(Compare, PlannersThatTheCallerKeptFromRunningAreRowsThatSaySo) {
  ListeningCaller caller;
  const LoadedProblem loaded = load_problem({.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"}, caller).value();
  caller.stop = true;
  const std::vector<ChosenPlanner> planners{planner_named("heft")};
  const Comparison comparison = compare(loaded.problem, planners, {.evaluations = 10}, {}, caller);
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_FALSE(comparison.rows.front().started);
  EXPECT_TRUE(comparison.rows.front().error);
  EXPECT_FALSE(comparison.single);
}

}  // namespace
}  // namespace berth
