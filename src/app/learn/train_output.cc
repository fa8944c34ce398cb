// SPDX-License-Identifier: Apache-2.0
#include "app/learn/train_output.h"

#include <algorithm>
#include <cmath>

#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"

namespace berth::app {
namespace {

using learn::LessonConfig, learn::TrainAnswer, learn::TrainedLesson;

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

// The flags that make the problem of a lesson again.
std::string problem_words(const LessonConfig& lesson, const learn::ProblemWords& problem) {
  std::string words = shell_word(lesson.graph);
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) words += fmt::format(" --{} {}", flag, shell_word(value));
  };
  add("machine", lesson.machine);
  add("objective", problem.objective);
  for (const std::string& costs : problem.costs) add("costs", costs);
  for (const std::string& dim : problem.dims) add("dim", dim);
  for (const std::string& node : problem.step.outputs) add("output-node", node);
  add("signature", problem.step.signature);
  add("tag", problem.step.tag);
  for (const auto& [form, text] : problem.demands) add(form->name, text);
  for (const std::string& file : problem.constraints) add("constraints", file);
  for (const std::string& file : problem.unsupported) add("unsupported", file);
  return words;
}

std::string next_commands(const TrainAnswer& answer) {
  const std::string words = problem_words(answer.config.lessons.front(), answer.config.problem);
  const std::string run = shell_word(answer.folder);
  const std::string go_on = answer.updates > 0
                                ? fmt::format("berth train --resume {} --updates {}", run, 2 * answer.updates)
                                : more_time(answer);
  return fmt::format("next: berth score {} --plan {}\n      berth place {} --policy {}\n      {}\n", words,
                     shell_word(answer.lessons.front().plan_path), words, run, go_on);
}

// "1.52 s  16.2 % over the best single device"
std::string lesson_line(const std::string& name, const TrainedLesson& lesson) {
  const Outcome& outcome = lesson.outcome;
  if (outcome.error) return fmt::format("  {}: no plan yet\n", clean(name));
  std::string line = fmt::format("  {}: {}", clean(name), format_time(outcome.score.step_time));
  if (!outcome.score.feasible) line += " but out of memory";
  const std::optional<Outcome>& single = lesson.single;
  if (single && single->feasible()) line += fmt::format(" (best single device {})", format_seconds(*single->value_s()));
  return line + fmt::format(", {}\n", clean(lesson.plan_path));
}

std::string lessons_page(const TrainAnswer& answer) {
  std::string page = fmt::format("{} on {} problems, {}\n", answer.config.planner, answer.lessons.size(),
                                 counted(answer.updates, "update"));
  for (std::size_t i = 0; i < answer.lessons.size(); ++i) {
    page += lesson_line(answer.config.lessons[i].name(), answer.lessons[i]);
  }
  return page + next_commands(answer);
}

void write_lessons(JsonWriter& json, const TrainAnswer& answer) {
  json.key("lessons").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < answer.lessons.size(); ++i) {
    const LessonConfig& config = answer.config.lessons[i];
    const TrainedLesson& lesson = answer.lessons[i];
    json.begin_object(JsonLayout::kLines).key("graph").value(config.graph).key("machine").value(config.machine);
    write_outcome(json, lesson.loaded->problem, lesson.outcome, lesson.single);
    write_single(json, lesson.outcome, lesson.single);
    if (!lesson.outcome.error) json.key("plan").value(lesson.plan_path);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string more_time(const TrainAnswer& answer) {
  const double had_s = std::max(answer.config.limits.time_s, answer.elapsed_s);
  return fmt::format("berth train --resume {} --budget {:.0f}s", shell_word(answer.folder),
                     std::max(1.0, std::ceil(4.0 * had_s)));
}

std::string train_page(const TrainAnswer& answer) {
  if (answer.lessons.size() > 1) return lessons_page(answer);
  const auto& [loaded, outcome, single, plan_path] = answer.lessons.front();
  if (outcome.error) return "";
  return outcome_page(loaded->problem, outcome, single, loaded->costs) +
         fmt::format("\nplan written to {}\n", clean(plan_path)) + next_commands(answer);
}

std::string train_json(const TrainAnswer& answer) {
  const auto& [loaded, outcome, single, plan_path] = answer.lessons.front();
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  if (answer.lessons.size() == 1) {
    write_outcome(json, loaded->problem, outcome, single);
    write_single(json, outcome, single);
    write_costs(json, loaded->costs);
    json.key("best_s").value(outcome.value_s());
    if (!outcome.error) json.key("plan").value(plan_path);
  } else {
    json.key("planner").value(answer.config.planner).key("seed").value(answer.config.seed);
    write_lessons(json, answer);
  }
  json.key("preset").value(answer.config.preset).key("updates").value(answer.updates);
  json.key("processes").value(answer.processes).key("run").value(answer.folder);
  json.key("warnings").begin_array();
  for (const std::string& warning : answer.warnings) json.value(warning);
  json.end_array().end_object();
  return std::move(json).take();
}

}  // namespace berth::app
