// SPDX-License-Identifier: Apache-2.0
#include "services/plan/plan_files.h"

#include "files/files.h"
#include "files/json/json_reader.h"
#include "format/plan_file.h"
#include "import/plans/foreign_plan.h"
#include "import/plans/given_placement.h"
#include "services/problem/constraints.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

constexpr const char* kGiven = "given";

std::optional<std::string> machine_of_plan(const std::string& text) {
  Result<JsonDocument> document = JsonDocument::open(text);
  if (!document || !document->has("machine")) return std::nullopt;
  const Result<std::string> name = document->string("machine");
  return name ? std::optional(*name) : std::nullopt;
}

Result<ReadPlan> read_any(const std::string& path, const ProblemRequest& request, const Problem& problem) {
  BERTH_TRY(const std::string text, read_file(path));
  if (!is_foreign_plan(path, text)) {
    BERTH_TRY(Plan plan, parse_plan(text, path, problem.graph(), problem.machine()));
    return ReadPlan{std::move(plan), machine_of_plan(text)};
  }
  BERTH_TRY(ForeignPlan plan, read_foreign_plan(text, {path, problem, request.graph, request.import}));
  std::string note = fmt::format("{}: it {}", plan.format, words_about(plan.given));
  return ReadPlan{std::move(plan.given.plan), std::nullopt, std::move(note)};
}

}  // namespace

Result<ReadPlan> read_plan(const std::string& path, const ProblemRequest& request, const Problem& problem) {
  BERTH_TRY(ReadPlan read, read_any(path, request, problem));
  if (const Status met = check_demands(request.demands, problem, read.plan); !met) return within(path, met.error());
  if (const auto broken = verify(problem, read.plan)) return within(path, *broken);
  return read;
}

Result<Outcome> score_plan_file(const std::string& path, const std::string& name, const ProblemRequest& request,
                                const Problem& problem) {
  BERTH_TRY(const ReadPlan read, read_plan(path, request, problem));
  Outcome outcome = score_plan(problem, name, read.plan);
  outcome.plan_machine = read.machine;
  outcome.note = read.note;
  return outcome;
}

std::optional<std::string> machine_of_plan_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? machine_of_plan(*text) : std::nullopt;
}

Result<Outcome> score_given(const LoadedProblem& loaded) {
  const Problem& problem = loaded.problem;
  BERTH_TRY(const GivenPlacement given, given_placement(problem, loaded.device_of));
  if (const auto broken = verify(problem, given.plan)) return within("the placement in the file", *broken);
  Outcome outcome = score_plan(problem, kGiven, given.plan);
  outcome.note = fmt::format("the file {}", words_about(given));
  return outcome;
}

std::optional<Outcome> given_row(const LoadedProblem& loaded) {
  if (loaded.device_of.empty()) return std::nullopt;
  Result<Outcome> scored = score_given(loaded);
  if (scored) return *std::move(scored);
  Outcome outcome;
  outcome.planner = kGiven;
  outcome.error = scored.error();
  outcome.lower_bound = lower_bound(loaded.problem).value();
  return outcome;
}

PlanPrediction prediction_of(const Problem& problem, const Outcome& outcome) {
  PlanPrediction prediction;
  prediction.planner = outcome.planner;
  prediction.objective = objective_name(problem.objective());
  prediction.objective_value_s = prediction.step_time_s = outcome.value_s();
  prediction.lower_bound_s = to_seconds(outcome.lower_bound);
  prediction.feasible = outcome.score.feasible;
  for (const DeviceId id : problem.machine().device_ids()) {
    const DeviceUse& use = outcome.score.devices[index(id)];
    prediction.devices.push_back(
        {problem.machine().device(id).name, to_seconds(use.busy), use.peak, problem.capacity(id)});
  }
  return prediction;
}

Status save_plan(const std::string& path, const Problem& problem, const Outcome& outcome,
                 std::span<const std::string> also_for) {
  return save_plan_file(path, problem.graph(), problem.machine(), outcome.plan, prediction_of(problem, outcome),
                        also_for);
}

}  // namespace berth
