// SPDX-License-Identifier: Apache-2.0
#include "format/plan_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "import/parts.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

class PlanFile : public ::testing::Test {
 protected:
  PlanFile() : problem_(toy_problem("aa:1 -> bb:2 -> cc:3", "2 devices, 1 s per edge")) {}

  [[nodiscard]] std::string file_with(const std::string& ops, const std::string& rest = "") const {
    return fmt::format("{{\"format\": \"berth-plan/1\", \"graph\": \"{}\", \"machine\": \"toy\", \"ops\": [{}]{}}}",
                       problem_.graph().structure_hash(), ops, rest);
  }
  [[nodiscard]] Result<Plan> parse(const std::string& text) const {
    return parse_plan(text, "p.json", problem_.graph(), problem_.machine());
  }
  [[nodiscard]] std::string error_of(const std::string& text) const {
    const auto plan = parse(text);
    return plan ? "fine" : plan.error().message;
  }

  Problem problem_;
  const std::string placed_ = R"({"name": "aa", "device": "0"}, {"name": "bb", "device": "1", "priority": 2.5},)"
                              R"({"name": "cc", "device": "1", "priority": -1})";
};

TEST_F(PlanFile, IsReadable) {
  const Plan plan = toy_plan(problem_, "aa@0 bb@1!2.5 cc@1!-1 {bb cc}");
  PlanPrediction prediction;
  prediction.planner = "expert";
  prediction.objective_value_s = prediction.step_time_s = 7;
  prediction.lower_bound_s = 6.5;
  prediction.devices = {{"0", 1, 10, 100}, {"1", 5, 20, 100}};
  const std::string text = write_plan_json(problem_.graph(), problem_.machine(), plan, prediction);
  EXPECT_EQ(text, fmt::format(R"({{
  "format": "berth-plan/1",
  "graph": "{}",
  "machine": "{}",
  "ops": [
    {{"name": "aa", "device": "0", "priority": 0}},
    {{"name": "bb", "device": "1", "priority": 2.5}},
    {{"name": "cc", "device": "1", "priority": -1}}
  ],
  "fusions": [
    ["bb", "cc"]
  ],
  "predicted": {{
    "planner": "expert",
    "objective": "step",
    "objective_value_s": 7,
    "step_time_s": 7,
    "lower_bound_s": 6.5,
    "feasible": true,
    "devices": [
      {{"name": "0", "busy_s": 1, "peak_bytes": 10, "capacity_bytes": 100}},
      {{"name": "1", "busy_s": 5, "peak_bytes": 20, "capacity_bytes": 100}}
    ]
  }}
}}
)",
                              problem_.graph().structure_hash(), problem_.machine().name()));
  EXPECT_EQ(*parse(text), plan);
}

TEST_F(PlanFile, APlanThatDoesNotFitHasNoTime) {
  const Plan plan = toy_plan(problem_, "aa@0 bb@1!2.5 cc@1");
  PlanPrediction prediction;
  prediction.feasible = false;
  const std::string text = write_plan_json(problem_.graph(), problem_.machine(), plan, prediction);
  for (const std::string_view member : {"objective_value_s", "step_time_s"}) {
    EXPECT_NE(text.find(fmt::format("\"{}\": null,", member)), std::string::npos) << text;
  }
  EXPECT_EQ(*parse(text), plan) << "and is read like any other";
}

TEST_F(PlanFile, MayBeForSeveralGraphs) {
  const Problem larger = toy_problem("aa:1:9B -> bb:2:9B -> cc:3", "2 devices, 1 s per edge");
  const std::vector<std::string> also_for{"00ff", problem_.graph().structure_hash()};
  const Plan plan = toy_plan(larger, "aa@0 bb@1!2.5 cc@1");
  const std::string text = write_plan_json(larger.graph(), larger.machine(), plan, {}, also_for);
  EXPECT_EQ(*parse(text), plan);
  EXPECT_EQ(*parse_plan(text, "p.json", larger.graph(), larger.machine()), plan);
  EXPECT_NE(error_of(write_plan_json(larger.graph(), larger.machine(), plan, {}, std::span(also_for).first(1))),
            "fine");
  EXPECT_EQ(error_of(file_with(placed_, R"(, "also_for": [7])")), "fine") << "the first hash is enough";
  EXPECT_EQ(error_of(R"({"format": "berth-plan/1", "graph": "00ff", "also_for": [7], "ops": []})"),
            "p.json: also_for[0]: expected a string, found 7");
}

TEST_F(PlanFile, RoundTripsThroughFiles) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = random_problem(rng, 1 + rng.below(50));
    Plan plan = random_plan(problem, rng);
    const std::string path = folder.file(i % 2 == 0 ? "p.json" : "p.json.gz");
    ASSERT_TRUE(save_plan_file(path, problem.graph(), problem.machine(), plan, {}));
    const auto again = load_plan_file(path, problem.graph(), problem.machine());
    ASSERT_TRUE(again) << again.error().message;
    const bool all_zero = std::all_of(plan.priority.begin(), plan.priority.end(), [](double p) { return p == 0; });
    if (all_zero) plan.priority.clear();
    EXPECT_EQ(*again, plan);
  }
}

TEST_F(PlanFile, PrioritiesAreExact) {
  Plan plan = toy_plan(problem_, "aa@0 bb@1 cc@1");
  plan.priority = {0.1, 1.0 / 3.0, std::numeric_limits<double>::max()};
  EXPECT_EQ(*parse(write_plan_json(problem_.graph(), problem_.machine(), plan, {})), plan);
}

TEST_F(PlanFile, PriorityAndFusionsMayBeLeftOut) {
  const auto plan = parse(file_with(placed_));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->priority, (std::vector<double>{0, 2.5, -1}));
  EXPECT_TRUE(plan->fusions.empty());
}

TEST_F(PlanFile, MistakesAreNamed) {
  EXPECT_EQ(error_of(R"({"format": "berth-plan/2"})"),
            "p.json: its format is \"berth-plan/2\", expected \"berth-plan/1\"");
  EXPECT_EQ(
      error_of(R"({"format": "berth-plan/1", "graph": "00ff", "ops": []})"),
      fmt::format("p.json: the plan was made for another graph (structure hash \"00ff\"), or for other sizes of this "
                  "one (say the same --dim); '{}' has {}",
                  problem_.graph().title(), problem_.graph().structure_hash()));
  EXPECT_EQ(error_of(file_with("")), "p.json: 3 of 3 ops are not placed, the first is 'aa'");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "0"}, {"name": "cc", "device": "0"})")),
            "p.json: 1 of 3 ops are not placed, the first is 'bb'");
  EXPECT_EQ(error_of(file_with(R"({"name": "ab", "device": "0"})")),
            "p.json: ops[0].name: the graph has no op \"ab\"; did you mean 'aa'?");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "gpu7"})")),
            fmt::format("p.json: ops[0].device: machine '{}' has no device \"gpu7\"; it has 0, 1",
                        problem_.machine().name()));
  EXPECT_EQ(error_of(file_with(R"({"name": "aa"})")), "p.json: ops[0]: \"device\" is missing");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "0"}, {"name": "aa", "device": "1"})")),
            "p.json: ops[1]: the op 'aa' has been placed already");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "0", "priority": "high"})")),
            "p.json: ops[0].priority: expected a number, found \"high\"");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "0", "priority": 1e999})")),
            "p.json: line 1: ops[0]: a number is malformed or out of range");
  EXPECT_EQ(error_of(file_with(R"({"name": "aa", "device": "0", "prioritty": 1})")),
            "p.json: ops[0]: unknown member \"prioritty\"; did you mean 'priority'?");
  EXPECT_EQ(error_of(file_with(placed_, R"(, "fusions": [["aa", "bb"], ["bb", "cc"]])")),
            "p.json: fusions[1][0]: the op 'bb' is fused already");
  EXPECT_EQ(error_of(file_with(placed_, R"(, "fusions": [["aa"]])")),
            "p.json: fusions[0]: a fusion needs at least two ops");
  EXPECT_EQ(error_of(file_with(placed_, R"(, "fusions": [["aa", "zzzzzz"]])")),
            "p.json: fusions[0][1]: the graph has no op \"zzzzzz\"");
}

}  // namespace
}  // namespace berth
