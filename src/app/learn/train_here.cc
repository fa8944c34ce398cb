// SPDX-License-Identifier: Apache-2.0
// `berth train` in `berth-learned`: the request made of its flags, on one process or many, and what is said of its end.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/train.h"
#include "base/text.h"
#include "base/units.h"
#include "learn/run/ranks.h"
#include "learn/run/train.h"
#include "services/json/outcome_json.h"
#include "services/words.h"

namespace berth::app {
namespace {

using learn::LessonConfig, learn::TrainAnswer, learn::TrainedLesson;

Result<double> seconds_of(std::string_view flag, const std::string& text) {
  const Result<double> seconds = parse_seconds(text);
  if (seconds && *seconds >= 0.0) return *seconds;
  return bad_input("{}: '{}' is no time; write for example 500ms, 60s or 5min", flag, text);
}

learn::ProblemWords words_of(const ProblemFlags& flags) {
  learn::ProblemWords words{.objective = flags.objective,
                            .costs = flags.costs,
                            .dims = flags.dims,
                            .step = flags.step,
                            .demands = {},
                            .constraints = flags.constraints.files,
                            .unsupported = flags.constraints.tables};
  for (const auto& [form, text] : flags.constraints.given) words.demands.push_back({form, text});
  return words;
}

// The limits that the flags give; none if they give none.
learn::Limits limits_of(const TrainFlags& flags, const Budget& budget) {
  return {flags.updates, flags.search.evaluations, flags.is_given("--budget") ? budget.time_s : 0.0};
}

Result<learn::NewRun> new_run_of(const TrainFlags& flags, const Budget& budget) {
  BERTH_RETURN_IF_ERROR(planner_catalog().check_learned(flags.planner));
  learn::NewRun run{.graphs = flags.graphs, .machines = flags.machines, .problem = words_of(flags.problem)};
  run.planner = flags.planner;
  if (!flags.learned.preset.empty()) run.preset = flags.learned.preset;
  run.options = flags.learned.options;
  run.reward = flags.reward;
  run.env_noise = flags.env_noise;
  run.seed = budget.seed;
  run.threads = budget.threads;
  if (!flags.learned.policy_device.empty()) run.policy_device = flags.learned.policy_device;
  run.tensorboard = flags.tensorboard;
  run.async = flags.async;
  run.limits = limits_of(flags, budget);
  if (!flags.is_given("--updates") && !flags.is_given("--evaluations")) run.limits.time_s = budget.time_s;
  return run;
}

Result<learn::TrainRequest> request_of(const TrainFlags& flags) {
  BERTH_TRY(const Budget budget, budget_of(flags.search));
  learn::TrainRequest request{.folder = flags.resume.empty() ? flags.output : flags.resume};
  request.shares_threads = !flags.is_given("--threads");
  request.simulate_on = budget.simulate_on;
  BERTH_TRY(request.checkpoint_every_s, seconds_of("--checkpoint-every", flags.checkpoint_every));
  if (flags.resume.empty()) {
    BERTH_TRY(request.begins, new_run_of(flags, budget));
    return request;
  }
  request.changes = {limits_of(flags, budget), flags.search.threads, flags.learned.policy_device, flags.tensorboard};
  return request;
}

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

// "berth train --resume RUN --budget 60s": four times as long as it has had.
std::string more_time(const TrainAnswer& answer) {
  const double had_s = std::max(answer.config.limits.time_s, answer.elapsed_s);
  return fmt::format("berth train --resume {} --budget {:.0f}s", shell_word(answer.folder),
                     std::max(1.0, std::ceil(4.0 * had_s)));
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
    json.begin_object(JsonLayout::kLines).members("graph", config.graph, "machine", config.machine);
    write_outcome(json, lesson.loaded->problem, lesson.outcome, lesson.single);
    write_single(json, lesson.outcome, lesson.single);
    if (!lesson.outcome.error) json.members("plan", lesson.plan_path);
    json.end_object();
  }
  json.end_array();
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
    json.members("best_s", outcome.value_s());
    if (!outcome.error) json.members("plan", plan_path);
  } else {
    json.members("planner", answer.config.planner, "seed", answer.config.seed);
    write_lessons(json, answer);
  }
  json.members("preset", answer.config.preset, "updates", answer.updates, "processes", answer.processes, "run",
               answer.folder);
  json.list("warnings", answer.warnings).end_object();
  return std::move(json).take();
}

// Not one update was made.
std::string why_nothing_was_done(const TrainAnswer& answer) {
  if (!answer.is_time_over) {
    return fmt::format("note: {}: nothing was left to do after {}; give larger --updates, --evaluations or --budget",
                       answer.folder, counted(answer.updates, "update"));
  }
  return fmt::format("note: {}: its {} were over before update {}, of {}, was done; give it more time: {}",
                     answer.folder, format_seconds(answer.config.limits.time_s), answer.updates + 1,
                     counted(answer.plans_per_update, "plan"), more_time(answer));
}

Result<Exit> report(const TrainAnswer& answer, bool json, Caller& caller) {
  if (answer.updates == answer.updates_before && !answer.interrupted) caller.note(why_nothing_was_done(answer));
  BERTH_RETURN_IF_ERROR(print(json ? train_json(answer) : train_page(answer)));
  for (const TrainedLesson& lesson : answer.lessons) {
    if (lesson.outcome.error) return *lesson.outcome.error;
    if (!lesson.outcome.score.feasible) {
      return infeasible("{}", overflow_text(lesson.loaded->problem, lesson.outcome));
    }
  }
  return Exit::kDone;
}

// A run of several ranks that broke ends everywhere. Rank 0, which has saved what it had by now, is given the first
// word; the others speak only if it is gone.
[[noreturn]] void end_all(const learn::Communicator& ranks, const Error& error) {
  if (!ranks.is_root()) std::this_thread::sleep_for(std::chrono::seconds(5));
  print_error(error.message);
  learn::abort_all(static_cast<int>(Exit::kBadInput));
}

// What this rank prints. An error without words is one of which rank 0 speaks.
Result<Exit> train_on(learn::Communicator& ranks, const TrainFlags& flags) {
  const Result<learn::TrainRequest> request = request_of(flags);
  BERTH_RETURN_IF_ERROR(learn::agree(ranks, request ? Status() : Status(request.error())));
  TerminalCaller caller(/*progress=*/!flags.search.quiet);
  learn::TrainRun run(*request, ranks, caller);
  const Result<std::optional<TrainAnswer>> answer = run.run();
  if (!answer && ranks.size() > 1 && run.is_broken() && !answer.error().message.empty()) end_all(ranks, answer.error());
  if (!answer) return answer.error();
  return *answer ? report(**answer, flags.json, caller) : Exit::kDone;
}

}  // namespace

Result<Exit> train(const TrainFlags& flags) {
  BERTH_TRY(const double timeout_s, seconds_of("--rank-timeout", flags.rank_timeout));
  BERTH_TRY(const std::unique_ptr<learn::Communicator> ranks, learn::make_communicator(timeout_s));
  const Result<Exit> result = train_on(*ranks, flags);
  if (result || ranks->is_root()) return result;
  return result.error().code == ErrorCode::kInfeasible ? Exit::kInfeasible : Exit::kBadInput;
}

}  // namespace berth::app
