// SPDX-License-Identifier: Apache-2.0
#include "app/judge.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "app/catalog.h"
#include "app/options.h"
#include "app/progress.h"
#include "base/text.h"

namespace berth::app {
namespace {

std::string with_semicolon(const std::string& note) { return note.empty() ? "" : note + "; "; }

// Written line by line, so that the file can be watched and an interrupted search leaves what it has learned.
Result<MeasuredScores::Listener> listener_for(const std::string& path) {
  if (path.empty()) return MeasuredScores::Listener();
  auto file = std::make_shared<std::ofstream>(path);
  *file << "elapsed_s,step_time_s,over_memory_bytes,failed\n" << std::flush;
  if (!*file) return bad_input("--measurements: cannot write {}", path);
  const auto begin = std::chrono::steady_clock::now();
  return MeasuredScores::Listener([file, begin](const Result<Sample>& sample, const Score& score) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::string failure = sample ? "" : sample.error().message;
    std::ranges::replace(failure, '"', '\'');
    const std::string step = sample ? fmt::format("{}", sample->median_s()) : "";
    const std::string over = sample ? fmt::format("{}", score.overflow ? score.overflow->over : 0) : "";
    const std::string quoted = failure.empty() ? "" : '"' + failure + '"';
    *file << fmt::format("{:.3f},{},{},{}\n", elapsed.count(), step, over, quoted) << std::flush;
  });
}

}  // namespace

void add_env_flags(CLI::App& command, EnvFlags& flags) {
  constexpr const char* kGroup = "Real devices (berth help measuring)";
  command
      .add_option("--env", flags.env,
                  "what plans are judged by: simulate, measure (every plan is run; GRAPH is a capture), or both: "
                  "simulate, then measure the best")
      ->capture_default_str()
      ->type_name("NAME")
      ->group(kGroup);
  add_whole_number(
      command, "--shortlist", [&flags](std::uint64_t count) { flags.shortlist = count; }, {1, 1000},
      "with --env both: how many plans to measure")
      ->default_str("8")
      ->group(kGroup);
  command
      .add_option(
          "--measurements", flags.measurements,
          "write every plan that is run to this CSV file while the search goes on: seconds since its start, step "
          "time, bytes over the memory that plans may use, why it failed")
      ->type_name("FILE")
      ->group(kGroup);
  add_measuring_flags(command, flags.measuring);
}

Judge::Judge(const Problem& problem, bool is_measured, std::size_t shortlist, std::shared_ptr<MeasuredScores> scores)
    : problem_(&problem), is_measured_(is_measured), shortlist_size_(shortlist), scores_(std::move(scores)) {}

Result<std::optional<Judge>> Judge::make(const EnvFlags& flags, const std::string& graph, const Problem& problem) {
  if (flags.env == "simulate") {
    if (flags.measurements.empty()) return std::optional<Judge>();
    return bad_input("--measurements: nothing is run with --env simulate; say --env measure or --env both");
  }
  if (flags.env != "measure" && flags.env != "both") {
    const std::vector<std::string> names{"simulate", "measure", "both"};
    return bad_input("no environment named '{}'; there are: simulate, measure, both{}", flags.env,
                     did_you_mean(flags.env, names));
  }
  if (problem.objective() != Objective::kStep) return bad_input("--env {}: only steps can be measured", flags.env);
  BERTH_TRY(std::unique_ptr<MeasureSession> session, open_session(graph, problem, flags.measuring));
  BERTH_TRY(MeasuredScores::Listener listener, listener_for(flags.measurements));
  auto scores = std::make_shared<MeasuredScores>(std::move(session), std::move(listener));
  return std::optional(Judge(problem, flags.env == "measure", flags.shortlist, std::move(scores)));
}

Budget Judge::budget(Budget budget) const {
  if (is_measured_) budget.threads = 1;
  return budget;
}

EvaluatorMaker Judge::evaluators() {
  if (is_measured_) return [scores = scores_](int) { return make_measured_evaluator(scores); };
  shortlist_ = std::make_shared<Shortlist>(shortlist_size_);
  return [problem = problem_, shortlist = shortlist_](int threads) {
    return make_screening_evaluator(*problem, threads, shortlist);
  };
}

// Whether the best of the shortlist was found; not if somebody interrupts it, and then the simulated plan stands.
bool Judge::run_shortlist(Outcome& outcome) {
  std::vector<Plan> plans = shortlist_->plans();
  plans.insert(plans.begin(), outcome.plan);
  std::optional<Score> best;
  for (const Plan& plan : plans) {
    if (InterruptGuard::flag()) break;
    const Score score = scores_->score(plan);
    if (InterruptGuard::flag() || (best && !better(score, *best))) continue;
    best = score;
    outcome.plan = plan;
  }
  outcome.interrupted |= InterruptGuard::flag();
  if (best) outcome.score = *best;
  return best.has_value();
}

void Judge::settle(Outcome& outcome) {
  if (outcome.error) return;
  MeasureSession& session = scores_->session();
  outcome.score = simulate(*problem_, outcome.plan);
  const Picoseconds predicted = outcome.score.step_time;
  outcome.lower_bound = 0;
  if (outcome.note.find("proved") != std::string::npos) outcome.note.clear();  // by simulations
  outcome.note = with_semicolon(outcome.note);
  const Plan chosen = outcome.plan;
  if (!is_measured_ && !run_shortlist(outcome)) {
    outcome.note += "interrupted before it could be run";
    return;
  }
  if (outcome.plan != chosen) outcome.note.clear();  // it is about another plan
  // The least of many noisy times is too low: what is said about a plan comes from a run of its own.
  outcome.score = scores_->confirmed(outcome.plan);
  outcome.is_measured = true;
  const int measured = session.measured() - std::exchange(measured_before_, session.measured());
  const int failed = session.failed() - std::exchange(failed_before_, session.failed());
  const std::string runs =
      fmt::format("{} {} run", counted(static_cast<std::uint64_t>(measured), "plan"), measured == 1 ? "was" : "were");
  outcome.note += is_measured_ ? "measured: " + runs
                               : fmt::format("simulated, then {}, the first predicted at {}", runs,
                                             format_seconds(to_seconds(predicted)));
  if (const auto why = scores_->failure(outcome.plan)) {
    outcome.error =
        infeasible("{}, and none could be run; the best by prediction failed: {}",
                   measured == 1 ? "one plan was tried" : fmt::format("{} plans were tried", measured), *why);
  }
  if (failed > 0) outcome.note += fmt::format(", {} failed ({})", failed, session.last_failure());
}

std::optional<Outcome> run_single_judged(const Problem& problem, const Budget& budget, Picoseconds lower_bound,
                                         Judge* judge) {
  if (InterruptGuard::flag()) return std::nullopt;
  return run_judged(problem, find_planner("single").value(), {.time_s = budget.time_s}, lower_bound, false, judge);
}

}  // namespace berth::app
