// SPDX-License-Identifier: Apache-2.0
#include "app/learn/train_output.h"

#include "app/json_output.h"
#include "app/output.h"
#include "base/text.h"

namespace berth::app {
namespace {

// A word for a shell, in quotes where it needs them.
std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-./,:=@+%") == std::string::npos;
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The flags that make the same problem again.
std::string problem_words(const ProblemFlags& problem) {
  std::string words = shell_word(problem.graph);
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) words += fmt::format(" --{} {}", flag, shell_word(value));
  };
  add("machine", problem.machine);
  add("objective", problem.objective);
  for (const std::string& costs : problem.costs) add("costs", costs);
  for (const std::string& dim : problem.dims) add("dim", dim);
  for (const std::string& node : problem.step.outputs) add("output-node", node);
  add("signature", problem.step.signature);
  add("tag", problem.step.tag);
  for (const auto& [form, text] : problem.constraints.given) add(form->name, text);
  for (const std::string& file : problem.constraints.files) add("constraints", file);
  for (const std::string& file : problem.constraints.tables) add("unsupported", file);
  return words;
}

std::string next_commands(const TrainReport& report) {
  const std::string words = problem_words(report.config.problem);
  const std::string run = shell_word(report.folder.path());
  return fmt::format(
      "next: berth score {} --plan {}\n      berth place {} --policy {}\n      berth train --resume {} "
      "--updates {}\n",
      words, shell_word(report.folder.plan_path()), words, run, run, 2 * report.trained.state.updates);
}

}  // namespace

Outcome outcome_of(const TrainReport& report) {
  const learn::TrainState& state = report.trained.state;
  Outcome outcome;
  outcome.planner = report.config.planner;
  outcome.note = fmt::format("preset {}, {}", report.config.preset, counted(state.updates, "update"));
  if (report.ranks > 1) outcome.note += fmt::format(" by {} processes", report.ranks);
  outcome.lower_bound = report.bound;
  outcome.search_s = report.trained.elapsed_s;
  outcome.evaluations = state.evaluations;
  outcome.seed = report.config.seed;
  outcome.interrupted = InterruptGuard::flag();
  if (!state.best_plan) {
    outcome.error = infeasible("no plan was measured yet; go on with berth train --resume {}", report.folder.path());
    return outcome;
  }
  outcome.plan = *state.best_plan;
  outcome.score = state.best_score;
  return outcome;
}

std::string train_page(const TrainReport& report, const Outcome& outcome) {
  if (outcome.error) return "";
  return outcome_page(report.problem, outcome, report.single, report.costs) +
         fmt::format("\nplan written to {}\n", clean(report.folder.plan_path())) + next_commands(report);
}

std::string train_json(const TrainReport& report, const Outcome& outcome) {
  const learn::TrainState& state = report.trained.state;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_outcome(json, report.problem, outcome, report.single);
  write_single(json, outcome, report.single);
  write_costs(json, report.costs);
  json.key("preset").value(report.config.preset).key("updates").value(state.updates);
  json.key("best_s").value(outcome.value_s()).key("processes").value(report.ranks);
  json.key("run").value(report.folder.path());
  if (state.best_plan) json.key("plan").value(report.folder.plan_path());
  json.key("warnings").begin_array();
  for (const std::string& warning : report.trained.warnings) json.value(warning);
  json.end_array().end_object();
  return std::move(json).take();
}

}  // namespace berth::app
