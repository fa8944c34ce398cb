// SPDX-License-Identifier: Apache-2.0
// What every planner in the table promises, whatever it does inside.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ostream>
#include <set>
#include <thread>

#include "plan/planners.h"
#include "plan/toys.h"
#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/patience.h"

namespace berth {

// GoogleTest shows it as the parameter of a test.
void PrintTo(const PlannerInfo& info, std::ostream* out) { *out << info.name; }

namespace {

std::vector<PlannerInfo> built_planners() {
  std::vector<PlannerInfo> built;
  for (const PlannerInfo& info : classical_planners()) {
    if (info.make != nullptr) built.push_back(info);
  }
  return built;
}

// Nothing depends on anything: every op is ready at once, and no two ops form a chain.
Problem wide_problem(int ops) {
  std::string text;
  for (int i = 0; i < ops; ++i) text += fmt::format("op{}:{}/{}/{};", i, 9 + i % 5, 1 + i % 3, 1 + i % 7);
  return toy_problem(text, kTwoGpus);
}

// One op after the other, each with a shortcut past the next six, as in an unrolled cell.
Problem deep_problem(int ops) {
  std::string text = "op0:9/1/1";
  for (int i = 1; i < ops; ++i) text += fmt::format("; op{} -> op{}:9/{}/{}", i - 1, i, 1 + i % 3, 1 + i % 7);
  for (int i = 7; i < ops; i += 2) text += fmt::format("; op{} -> op{}", i - 7, i);
  return toy_problem(text, kTwoGpus);
}

class PlannerContract : public testing::TestWithParam<PlannerInfo> {
 protected:
  static Result<Plan> run(Search& search) { return GetParam().make()->plan(search); }
  static Result<Plan> run(const Problem& problem, const Budget& budget) {
    Search search(problem, budget);
    return run(search);
  }

  // The problem with both objectives; `exact` proves step times only.
  static std::vector<Problem> with_both_objectives(const Problem& problem) {
    std::vector<Problem> problems{problem};
    if (GetParam().name != "exact") problems.push_back(as_pipeline(problem));
    return problems;
  }

  static void expect_legal(const Problem& problem, const Budget& budget) {
    const Result<Plan> plan = run(problem, budget);
    ASSERT_TRUE(plan) << plan.error().message;
    const std::optional<Error> broken = verify(problem, *plan);
    EXPECT_FALSE(broken) << broken->message;
    EXPECT_GE(simulate(problem, *plan).step_time, lower_bound(problem).value());
  }

  // On one thread and on two. A search that does not ask whether its time is up takes hours on these problems.
  static void expect_stops_on_time(const Problem& step) {
    for (const Problem& problem : with_both_objectives(step)) {
      SCOPED_TRACE(objective_name(problem.objective()));
      for (const int threads : {1, 2}) {
        Search search(problem, {.time_s = 0.2, .threads = threads});
        ASSERT_TRUE(run(search));
        EXPECT_LE(search.elapsed_s(), kPatience) << threads << " threads";
      }
    }
  }

  // However long it takes and on however many threads.
  static void expect_depends_on_the_seed_alone(const Problem& step, std::uint64_t evaluations) {
    for (const Problem& problem : with_both_objectives(step)) {
      SCOPED_TRACE(objective_name(problem.objective()));
      const Result<Plan> once = run(problem, {.time_s = 1e-9, .evaluations = evaluations, .seed = 3, .threads = 1});
      const Result<Plan> again = run(problem, {.evaluations = evaluations, .seed = 3, .threads = 2});
      ASSERT_TRUE(once && again);
      EXPECT_EQ(*once, *again);
    }
  }

  // On one thread and on two; `interrupt` sets the flag before the search or while it runs.
  template <typename Interrupt>
  static void expect_ends_when_interrupted(const Problem& step, const Interrupt& interrupt) {
    for (const Problem& problem : with_both_objectives(step)) {
      SCOPED_TRACE(objective_name(problem.objective()));
      for (const int threads : {1, 2}) {
        std::atomic<bool> stop{false};
        Search search(problem, {.time_s = 100 * kPatience, .threads = threads});
        search.set_stop_flag(&stop);
        const std::jthread user = interrupt(stop);
        const Result<Plan> plan = run(search);
        ASSERT_TRUE(plan);
        EXPECT_FALSE(verify(problem, *plan));
        EXPECT_LE(search.elapsed_s(), kPatience) << threads << " threads";
      }
    }
  }
};

TEST_P(PlannerContract, ReturnsLegalPlansNoBetterThanTheBound) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    expect_legal(toy.problem, {.evaluations = 100, .seed = 7});
  }
}

TEST_P(PlannerContract, ReturnsLegalPlansFromTwoThreadsInATime) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    expect_legal(toy.problem, {.time_s = 0.01, .seed = 7, .threads = 2});
  }
}

TEST_P(PlannerContract, PlansPipelinesToo) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    const Problem problem = as_pipeline(toy.problem);
    if (GetParam().name == "exact") {  // proves step times only
      EXPECT_EQ(run(problem, {.evaluations = 100}).error().code, ErrorCode::kBadInput);
      continue;
    }
    expect_legal(problem, {.evaluations = 100, .seed = 7});
    expect_legal(problem, {.time_s = 0.01, .seed = 7, .threads = 2});
  }
}

TEST_P(PlannerContract, DependsOnTheSeedAloneWhenEvaluationsAreCounted) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    expect_depends_on_the_seed_alone(toy.problem, 20);
  }
}

// Long enough for every phase of a search.
TEST_P(PlannerContract, DependsOnTheSeedAloneInALongSearch) {
  for (const std::string_view name : {"a training step", "pins and forbids", "random 4", "random 11"}) {
    SCOPED_TRACE(name);
    expect_depends_on_the_seed_alone(plan_toy(name), 3000);
  }
}

TEST_P(PlannerContract, ReturnsTheBestPlanItEvaluated) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    for (const Problem& problem : with_both_objectives(toy.problem)) {
      SCOPED_TRACE(objective_name(problem.objective()));
      Search search(problem, {.evaluations = 50});
      const Result<Plan> plan = run(search);
      ASSERT_TRUE(plan);
      ASSERT_TRUE(search.has_best());
      EXPECT_FALSE(better(search.best_score(), simulate(problem, *plan)));
    }
  }
}

TEST_P(PlannerContract, SaysThatNothingFitsWhereNothingDoes) {
  for (const std::string_view name : {"impossible memory", "no memory at all"}) {
    SCOPED_TRACE(name);
    for (const Problem& problem : with_both_objectives(plan_toy(name))) {
      SCOPED_TRACE(objective_name(problem.objective()));
      Search search(problem, {.evaluations = 100});
      const Result<Plan> plan = run(search);
      ASSERT_TRUE(plan);
      EXPECT_FALSE(simulate(problem, *plan).feasible);
      ASSERT_TRUE(search.has_best());
      EXPECT_FALSE(search.best_score().feasible);
    }
  }
}

TEST_P(PlannerContract, StopsOnTime) {
  Rng rng(5);
  expect_stops_on_time(random_problem(rng, 3000));
}

TEST_P(PlannerContract, StopsOnTimeOnAWideGraph) { expect_stops_on_time(wide_problem(6000)); }

TEST_P(PlannerContract, StopsOnTimeOnADeepGraph) { expect_stops_on_time(deep_problem(12'000)); }

TEST_P(PlannerContract, AnInterruptionBeforeTheStartStillGivesAPlan) {
  Rng rng(6);
  expect_ends_when_interrupted(random_problem(rng, 3000), [](std::atomic<bool>& stop) {
    stop = true;
    return std::jthread();
  });
}

TEST_P(PlannerContract, AnInterruptionInItsMidstEndsIt) {
  Rng rng(6);
  expect_ends_when_interrupted(random_problem(rng, 3000), [](std::atomic<bool>& stop) {
    return std::jthread([&stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop = true;
    });
  });
}

// One device keeps every limit, and 12 s are the longest path: d beside the others, with the one crossing allowed.
TEST_P(PlannerContract, KeepsALimitOnCrossingsOrSaysThatItCannot) {
  Constraints constraints;
  constraints.max_crossings = 1;
  const Problem step = constrained_toy("a:4 -> b:4 -> c:4; a -> d:4", kTwoGpus, constraints);
  const std::set<std::string_view> searches{"single", "dp", "exact", "genetic", "anneal", "auto"};
  for (const Problem& problem : with_both_objectives(step)) {
    SCOPED_TRACE(objective_name(problem.objective()));
    const Result<Plan> plan = run(problem, {.evaluations = 500});
    if (!plan) {
      EXPECT_EQ(plan.error().code, ErrorCode::kInfeasible);
      EXPECT_FALSE(searches.contains(GetParam().name)) << plan.error().message;
      continue;
    }
    EXPECT_EQ(verify(problem, *plan), std::nullopt);
    const bool finds_it = GetParam().name == "exact" || GetParam().name == "auto";
    if (finds_it && problem.objective() == Objective::kStep) {
      EXPECT_EQ(to_seconds(simulate(problem, *plan).step_time), 12);
    }
  }
}

TEST_P(PlannerContract, SaysSoWhenConstraintsAreBeyondIt) {
  Constraints constraints;
  constraints.max_crossings = 0;
  const Problem problem = constrained_toy("a:1 -> b:1/-/- -> c:-/1/1", kTwoGpus, constraints);  // must cross
  const Result<Plan> plan = run(problem, {.evaluations = 20});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInfeasible);
}

INSTANTIATE_TEST_SUITE_P(All, PlannerContract, testing::ValuesIn(built_planners()), [](const auto& test) {
  std::string name(test.param.name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(PlannerTable, HasUniqueNamesAndSummaries) {
  std::set<std::string_view> names;
  for (const PlannerInfo& info : classical_planners()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.summary.empty()) << info.name;
  }
  EXPECT_EQ(classical_planners().back().name, "auto");
}

}  // namespace
}  // namespace berth
