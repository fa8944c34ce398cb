// SPDX-License-Identifier: Apache-2.0
#include "app/learn/train_output.h"

#include <algorithm>
#include <cmath>

#include "app/output/json_output.h"
#include "app/output/output.h"
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
  const std::string words = problem_words(problem_of(report.config, report.config.lessons.front()));
  const std::string run = shell_word(report.folder.path());
  const std::uint64_t updates = report.trained.state.updates;
  const std::string go_on = updates > 0 ? fmt::format("berth train --resume {} --updates {}", run, 2 * updates)
                                        : more_time(report.config, report.trained, report.folder.path());
  return fmt::format("next: berth score {} --plan {}\n      berth place {} --policy {}\n      {}\n", words,
                     shell_word(report.folder.plan_path(0, report.subjects.size())), words, run, go_on);
}

// "1.52 s  16.2 % over the best single device"
std::string lesson_line(const TrainReport& report, std::size_t lesson, const Outcome& outcome) {
  const std::string name = report.config.lessons[lesson].name();
  if (outcome.error) return fmt::format("  {}: no plan yet\n", clean(name));
  std::string line = fmt::format("  {}: {}", clean(name), format_seconds(*outcome.value_s()));
  if (!outcome.score.feasible) line += " but out of memory";
  const std::optional<Outcome>& single = report.singles[lesson];
  if (single && single->feasible()) line += fmt::format(" (best single device {})", format_seconds(*single->value_s()));
  return line + fmt::format(", {}\n", clean(report.folder.plan_path(lesson, report.subjects.size())));
}

std::string lessons_page(const TrainReport& report, std::span<const Outcome> outcomes) {
  std::string page = fmt::format("{} on {} problems, {}\n", report.config.planner, outcomes.size(),
                                 counted(report.trained.state.updates, "update"));
  for (std::size_t i = 0; i < outcomes.size(); ++i) page += lesson_line(report, i, outcomes[i]);
  return page + next_commands(report);
}

void write_lessons(JsonWriter& json, const TrainReport& report, std::span<const Outcome> outcomes) {
  json.key("lessons").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const LessonConfig& lesson = report.config.lessons[i];
    json.begin_object(JsonLayout::kLines).key("graph").value(lesson.graph).key("machine").value(lesson.machine);
    write_outcome(json, *report.subjects[i].problem, outcomes[i], report.singles[i]);
    write_single(json, outcomes[i], report.singles[i]);
    if (!outcomes[i].error) json.key("plan").value(report.folder.plan_path(i, outcomes.size()));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Outcome outcome_of(const TrainReport& report, std::size_t lesson) {
  const learn::TrainState& state = report.trained.state;
  const learn::ScoredPlan* const best = state.lessons[lesson].best_known();
  Outcome outcome;
  outcome.planner = report.config.planner;
  outcome.note = fmt::format("preset {}, {}", report.config.preset, counted(state.updates, "update"));
  if (report.ranks > 1) outcome.note += fmt::format(" by {} processes", report.ranks);
  outcome.lower_bound = report.subjects[lesson].bound;
  outcome.search_s = report.trained.elapsed_s;
  outcome.evaluations = state.evaluations;
  outcome.seed = report.config.seed;
  outcome.interrupted = InterruptGuard::flag();
  if (best == nullptr) {
    outcome.error = infeasible("no plan was measured yet; go on with berth train --resume {}", report.folder.path());
    return outcome;
  }
  outcome.plan = best->plan;
  outcome.score = best->score;
  return outcome;
}

std::string more_time(const RunConfig& config, const Trained& trained, const std::string& run) {
  const double had_s = std::max(config.limits.time_s, trained.elapsed_s);
  return fmt::format("berth train --resume {} --budget {:.0f}s", shell_word(run),
                     std::max(1.0, std::ceil(4.0 * had_s)));
}

std::string train_page(const TrainReport& report, std::span<const Outcome> outcomes) {
  if (outcomes.size() > 1) return lessons_page(report, outcomes);
  if (outcomes.front().error) return "";
  return outcome_page(*report.subjects.front().problem, outcomes.front(), report.singles.front(), report.costs) +
         fmt::format("\nplan written to {}\n", clean(report.folder.plan_path())) + next_commands(report);
}

std::string train_json(const TrainReport& report, std::span<const Outcome> outcomes) {
  const learn::TrainState& state = report.trained.state;
  const Outcome& first = outcomes.front();
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  if (outcomes.size() == 1) {
    write_outcome(json, *report.subjects.front().problem, first, report.singles.front());
    write_single(json, first, report.singles.front());
    write_costs(json, report.costs);
    json.key("best_s").value(first.value_s());
    if (!first.error) json.key("plan").value(report.folder.plan_path());
  } else {
    json.key("planner").value(report.config.planner).key("seed").value(report.config.seed);
    write_lessons(json, report, outcomes);
  }
  json.key("preset").value(report.config.preset).key("updates").value(state.updates);
  json.key("processes").value(report.ranks).key("run").value(report.folder.path());
  json.key("warnings").begin_array();
  for (const std::string& warning : report.trained.warnings) json.value(warning);
  json.end_array().end_object();
  return std::move(json).take();
}

}  // namespace berth::app
