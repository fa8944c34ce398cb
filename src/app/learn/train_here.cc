// SPDX-License-Identifier: Apache-2.0
// `berth train` in `berth-learned`: the request made of its flags, on one process or many, and what is said of its end.
#include <chrono>
#include <memory>
#include <thread>

#include "app/learn/train_output.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/train.h"
#include "base/text.h"
#include "base/units.h"
#include "learn/run/ranks.h"
#include "learn/run/train.h"
#include "services/words.h"

namespace berth::app {
namespace {

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
  BERTH_TRY(request.checkpoint_every_s, seconds_of("--checkpoint-every", flags.checkpoint_every));
  if (flags.resume.empty()) {
    BERTH_TRY(request.begins, new_run_of(flags, budget));
    return request;
  }
  request.changes = {limits_of(flags, budget), flags.search.threads, flags.learned.policy_device, flags.tensorboard};
  return request;
}

// Not one update was made.
std::string why_nothing_was_done(const learn::TrainAnswer& answer) {
  if (!answer.is_time_over) {
    return fmt::format("note: {}: nothing was left to do after {}; give larger --updates, --evaluations or --budget",
                       answer.folder, counted(answer.updates, "update"));
  }
  return fmt::format("note: {}: its {} were over before update {}, of {}, was done; give it more time: {}",
                     answer.folder, format_seconds(answer.config.limits.time_s), answer.updates + 1,
                     counted(answer.plans_per_update, "plan"), more_time(answer));
}

Result<Exit> report(const learn::TrainAnswer& answer, bool json, Caller& caller) {
  if (answer.updates == answer.updates_before && !answer.interrupted) caller.note(why_nothing_was_done(answer));
  BERTH_RETURN_IF_ERROR(print(json ? train_json(answer) : train_page(answer)));
  for (const learn::TrainedLesson& lesson : answer.lessons) {
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
  const Result<std::optional<learn::TrainAnswer>> answer = run.run();
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
