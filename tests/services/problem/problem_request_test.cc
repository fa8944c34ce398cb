// SPDX-License-Identifier: Apache-2.0
#include "services/problem/problem_request.h"

#include <gtest/gtest.h>

#include "services/compare/sweep.h"
#include "services/listening_caller.h"
#include "services/plan/judge.h"
#include "services/plan/stages.h"
#include "services/problem/constraints.h"

namespace berth {
namespace {

std::vector<Demand> demands(std::string_view name, const std::string& text) {
  const auto form = std::ranges::find(demand_forms(), name, &DemandForm::name);
  return read_demands({.given = {{&*form, text}}}).value();
}

TEST(ProblemRequest, AGraphNeedsAMachine) {
  ListeningCaller caller;
  const auto loaded = load_problem({.graph = "zoo:rnnlm"}, caller);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("--machine is required"), std::string::npos);
}

TEST(ProblemRequest, WarnsTheCallerAtOnceAndInTheAnswer) {
  ListeningCaller caller;
  ProblemRequest request{.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"};
  request.demands = demands("reserve", "gpu0=11.99GiB");
  const std::vector<Demand> pinned = demands("pin", "*=gpu0");
  request.demands.insert(request.demands.end(), pinned.begin(), pinned.end());
  const auto loaded = load_problem(request, caller);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(caller.notes.size(), 1U);
  EXPECT_NE(caller.notes.front().find("no plan will fit in memory"), std::string::npos);
  EXPECT_EQ(loaded->notes.warnings, caller.notes);
}

TEST(ProblemRequest, TheUnchangedProblemIsThereOnlyIfSomethingChanges) {
  ProblemRequest request{.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"};
  EXPECT_FALSE(load_unchanged(request).value());
  request.changes.added = {"k40"};
  const auto unchanged = load_unchanged(request).value();
  ASSERT_TRUE(unchanged);
  ListeningCaller caller;
  EXPECT_EQ(unchanged->problem.machine().num_devices() + 1,
            load_problem(request, caller).value().problem.machine().num_devices());
}

TEST(ProblemRequest, NamesOfObjectivesAndEnvironmentsAreFoundOrSuggested) {
  EXPECT_EQ(find_objective("pipeline").value(), Objective::kPipeline);
  EXPECT_FALSE(find_objective("").value());
  EXPECT_NE(find_objective("pipelin").error().message.find("did you mean 'pipeline'?"), std::string::npos);
  EXPECT_EQ(find_environment("both").value(), Environment::kBoth);
  EXPECT_NE(find_environment("measur").error().message.find("did you mean 'measure'?"), std::string::npos);
  EXPECT_NE(find_stages("gredy", "").error().message.find("did you mean 'greedy'?"), std::string::npos);
}

TEST(ProblemRequest, MeasurementsNeedRealRuns) {
  ListeningCaller caller;
  const LoadedProblem loaded = load_problem({.graph = "zoo:rnnlm,unroll=3", .machine = "k40x2"}, caller).value();
  EXPECT_TRUE(make_judge({}, "zoo:rnnlm", loaded.problem, caller));
  EXPECT_FALSE(make_judge({.measurements = "runs.csv"}, "zoo:rnnlm", loaded.problem, caller));
  const auto real = make_judge({.environment = Environment::kMeasure}, "zoo:rnnlm", loaded.problem, caller);
  ASSERT_FALSE(real);
  EXPECT_NE(real.error().message.find("only captures"), std::string::npos);
}

TEST(Sweep, GoesOverDevicesFiguresAndParameters) {
  const ProblemRequest request{.graph = "zoo:rnnlm,unroll=3", .machine = "k40x4"};
  EXPECT_EQ(request_at(request, parse_sweep("devices=1,2").value(), "2").value().changes.accelerators, 2);
  EXPECT_EQ(request_at(request, parse_sweep("batch=8").value(), "8").value().graph, "zoo:rnnlm,unroll=3,batch=8");
  EXPECT_EQ(request_at(request, parse_sweep("unroll=8").value(), "8").value().graph, "zoo:rnnlm,unroll=8");
  const auto faster = request_at(request, parse_sweep("gpu.flops=2x").value(), "2x").value();
  EXPECT_EQ(faster.changes.settings, std::vector<std::string>{"gpu.flops=2x"});
  EXPECT_FALSE(request_at(request, parse_sweep("devices=0").value(), "0"));
}

TEST(Sweep, NamesTheFigureOfTheMachineThatIsMeant) {
  const auto error_over = [](const std::string& over) {
    ListeningCaller caller;
    const ChosenPlanner planner = chosen(*find_classical_planner("gpu-only"));
    const auto rows = run_sweep({.graph = "zoo:rnnlm,unroll=3", .machine = "k40x4"}, parse_sweep(over).value(), planner,
                                {.evaluations = 5}, caller, [](const SweepRow&, const LoadedProblem&) {});
    return rows ? std::string("no error") : rows.error().message;
  };
  EXPECT_TRUE(error_over("bandwith=1").ends_with("; of the machine, there is --over link.*.bandwidth"));
  EXPECT_TRUE(error_over("devics=1").ends_with("; of the machine, there is --over devices"));
  EXPECT_TRUE(error_over("colour=1").ends_with(")")) << "it is like nothing";
  EXPECT_EQ(error_over("link.*.bandwidth=2x"), "no error");
}

TEST(Sweep, EndsWhereTheCallerStops) {
  ListeningCaller caller;
  const Sweep sweep = parse_sweep("devices=1,2,4").value();
  const ChosenPlanner planner = chosen(*find_classical_planner("gpu-only"));
  const auto stop_after_two = [&](const SweepRow& row, const LoadedProblem&) { caller.stop = row.value == "2"; };
  const auto rows = run_sweep({.graph = "zoo:rnnlm,unroll=3", .machine = "k40x4"}, sweep, planner, {.evaluations = 5},
                              caller, stop_after_two)
                        .value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(is_interrupted(sweep, rows));
  EXPECT_EQ(values_not_run(sweep, rows), std::vector<std::string>{"4"});
  EXPECT_FALSE(verdict(sweep, rows));
}

}  // namespace
}  // namespace berth
