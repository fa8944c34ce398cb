// SPDX-License-Identifier: Apache-2.0
// Answers as JSON: what stands there agrees with the answer. What the program prints of them is tested in tests/app.
#include <gtest/gtest.h>

#include <functional>

#include "files/json/json_reader.h"
#include "services/json/catalog_json.h"
#include "services/json/comparison_json.h"
#include "services/json/explanation_json.h"
#include "services/json/graph_json.h"
#include "services/json/outcome_json.h"
#include "services/small_problem.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Looks at a document as a whole.
void read(const std::string& text, const std::function<void(const JsonValue&)>& look) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  look(JsonValue(root, "answer"));
}

PlaceAnswer placed(std::string_view planner, ProblemRequest problem = small_problem()) {
  ListeningCaller caller;
  Result<PlaceAnswer> answer = place({.problem = std::move(problem),
                                      .planner = chosen(*find_classical_planner(planner)),
                                      .budget = {.evaluations = 20}},
                                     caller);
  EXPECT_TRUE(answer);
  return *std::move(answer);
}

TEST(Json, AnOutcomeAgreesWithItsScore) {
  const PlaceAnswer answer = placed("round-robin");
  const Problem& problem = answer.loaded.problem;
  const Timeline timeline = simulate_timeline(problem, answer.outcome.plan);
  read(outcome_json(answer.loaded, answer.outcome, answer.single, std::nullopt, timeline), [&](const JsonValue& json) {
    EXPECT_EQ(*json.find("planner")->string(), "round-robin");
    EXPECT_EQ(*json.find("step_time_s")->number(), *answer.outcome.value_s());
    EXPECT_DOUBLE_EQ(
        *json.find("vs_single")->number() * *json.find("best_single_device")->find("step_time_s")->number(),
        *answer.outcome.value_s());
    EXPECT_EQ(json.find("devices")->size(), problem.machine().num_devices());
    std::int64_t ops = 0;
    ASSERT_TRUE(json.find("devices")
                    ->for_each([&](const JsonValue& device) -> Status {
                      ops += *device.find("ops")->integer();
                      return {};
                    })
                    .ok());
    EXPECT_EQ(static_cast<std::size_t>(ops), problem.graph().num_ops());
    EXPECT_EQ(json.find("events")->size(), timeline.ops.size());
    EXPECT_EQ(json.find("transfers")->size(), timeline.transfers.size());
    EXPECT_FALSE(json.find("as_it_is"));
  });
}

TEST(Json, WhatDoesNotFitHasNoTimeAndSaysWhereItOverflows) {
  ProblemRequest problem = small_problem();
  problem.changes.settings = {"gpu.memory=1KiB", "cpu.memory=1KiB"};
  const PlaceAnswer answer = placed("round-robin", problem);
  read(outcome_json(answer.loaded, answer.outcome, answer.single, answer.before), [&](const JsonValue& json) {
    EXPECT_TRUE(json.find("step_time_s")->is_null());
    EXPECT_FALSE(*json.find("feasible")->boolean());
    EXPECT_GT(*json.find("overflow")->find("bytes_over")->integer(), 0);
    EXPECT_TRUE(*json.find("as_it_is")->find("feasible")->boolean());
    EXPECT_TRUE(json.find("as_it_is")->find("change")->is_null());
  });
}

TEST(Json, AnExplanationIsOfThePlanOrOfOneOp) {
  const PlaceAnswer answer = placed("round-robin");
  const Problem& problem = answer.loaded.problem;
  const auto whole = explain({small_problem(), ""}, problem, answer.outcome);
  ASSERT_TRUE(whole);
  read(explanation_json(answer.loaded, answer.outcome, *whole), [&](const JsonValue& json) {
    EXPECT_NEAR(*json.find("critical_path")->find("time_s")->number(), *answer.outcome.value_s(), 1e-9);
    EXPECT_GT(json.find("crossings")->size(), 0U);
    EXPECT_FALSE(json.find("alternatives"));
  });
  const std::string name(problem.graph().name(OpId{static_cast<std::uint32_t>(problem.graph().num_ops() / 2)}));
  const auto one = explain({small_problem(), "", name}, problem, answer.outcome);
  ASSERT_TRUE(one) << one.error().message;
  read(explanation_json(answer.loaded, answer.outcome, *one), [&](const JsonValue& json) {
    EXPECT_EQ(*json.find("op")->string(), name);
    EXPECT_EQ(json.find("alternatives")->size(), problem.machine().num_devices());
    EXPECT_FALSE(json.find("critical_path"));
  });
}

TEST(Json, ASweepIsWrittenRowByRow) {
  const Result<Sweep> sweep = parse_sweep("devices=1,2");
  ASSERT_TRUE(sweep);
  ListeningCaller caller;
  SweepDocument document(small_problem(), *sweep);
  const auto rows =
      run_sweep(small_problem(), *sweep, chosen(*find_classical_planner("gpu-only")), {.evaluations = 5}, caller,
                [&](const SweepRow& row, const LoadedProblem& loaded) { document.add(row, loaded); });
  ASSERT_TRUE(rows);
  read(std::move(document).end(*rows), [&](const JsonValue& json) {
    EXPECT_EQ(*json.find("over")->string(), "devices");
    ASSERT_EQ(json.find("rows")->size(), 2U);
    EXPECT_EQ(*json.find("rows")->at(1)->find("per_second")->number(), rate(*sweep, rows->at(1)));
    EXPECT_FALSE(*json.find("interrupted")->boolean());
    EXPECT_EQ(json.find("not_run")->size(), 0U);
  });
}

TEST(Json, CatalogsHaveEveryRow) {
  const Catalog catalog;
  read(planners_json(catalog),
       [&](const JsonValue& json) { EXPECT_EQ(json.find("planners")->size(), catalog.entries().size()); });
  for (const learn::MethodInfo& method : learn::methods()) {
    read(options_json(method),
         [&](const JsonValue& json) { EXPECT_EQ(json.find("options")->size(), method.fields.size()); });
  }
  read(models_json(), [](const JsonValue& json) { EXPECT_EQ(json.find("models")->size(), zoo_models().size()); });
}

TEST(Json, AGraphSaysWhatIsKnownOfIt) {
  const Result<GraphAnswer> answer = look_at_graph(small_problem().graph, {});
  ASSERT_TRUE(answer);
  read(graph_json(*answer), [&](const JsonValue& json) {
    EXPECT_EQ(*json.find("flops")->number(), answer->loaded.graph->total_flops());
    EXPECT_EQ(json.find("estimates")->size(), answer->facts.devices.size());
    EXPECT_FALSE(json.find("objective"));
  });
}

}  // namespace
}  // namespace berth
