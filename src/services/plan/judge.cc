// SPDX-License-Identifier: Apache-2.0
#include "services/plan/judge.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "measure/measured_evaluator.h"
#include "sim/batch/batch_simulator.h"

namespace berth {
namespace {

struct NamedEnvironment {
  std::string_view name;
  Environment environment;
};
constexpr std::array kEnvironments{NamedEnvironment{"simulate", Environment::kSimulate},
                                   NamedEnvironment{"measure", Environment::kMeasure},
                                   NamedEnvironment{"both", Environment::kBoth}};

std::string_view name_of(Environment environment) {
  return std::ranges::find(kEnvironments, environment, &NamedEnvironment::environment)->name;
}

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

std::unique_ptr<Evaluator> simulated_evaluator(const Problem& problem, const Budget& budget) {
  return make_simulated_evaluator(problem, budget.threads, budget.simulate_on);
}

class SimulatedJudge : public Judge {
 public:
  explicit SimulatedJudge(const Problem& problem) : problem_(problem) {}

  EvaluatorMaker evaluators() override {
    return [&problem = problem_](const Budget& budget) { return simulated_evaluator(problem, budget); };
  }

  void settle(const Search& search, Outcome& outcome, Caller& /*caller*/) override {
    const bool is_best = search.has_best() && search.best_plan() == outcome.plan;
    if (!is_best && search.has_best() && search.best_score().feasible) {
      outcome.best_seen = search.best_score().step_time;
    }
    outcome.score = is_best ? search.best_score() : simulate(problem_, outcome.plan);
  }

 private:
  const Problem& problem_;
};

// Real runs: of every plan, or of a shortlist of those that simulate best.
class RealJudge : public Judge {
 public:
  RealJudge(const Problem& problem, const JudgeRequest& request, std::shared_ptr<MeasuredScores> scores)
      : problem_(problem),
        is_measured_(request.environment == Environment::kMeasure),
        shortlist_size_(request.shortlist),
        scores_(std::move(scores)) {}

  [[nodiscard]] Picoseconds lower_bound(Picoseconds simulated) const override { return is_measured_ ? 0 : simulated; }
  [[nodiscard]] Budget budget(const Budget& budget) const override {
    Budget ours = budget;
    if (is_measured_) ours.threads = 1;
    return ours;
  }
  [[nodiscard]] bool is_measured() const override { return is_measured_; }

  EvaluatorMaker evaluators() override {
    if (is_measured_) return [scores = scores_](const Budget&) { return make_measured_evaluator(scores); };
    shortlist_ = std::make_shared<Shortlist>(shortlist_size_);
    return [&problem = problem_, shortlist = shortlist_](const Budget& budget) {
      return make_screening_evaluator(simulated_evaluator(problem, budget), shortlist);
    };
  }

  void settle(const Search& search, Outcome& outcome, Caller& caller) override;

 private:
  bool run_shortlist(Outcome& outcome, const Caller& caller);
  [[nodiscard]] std::string told_of_runs(Picoseconds predicted, int measured) const;

  const Problem& problem_;
  bool is_measured_;
  std::size_t shortlist_size_;
  std::shared_ptr<MeasuredScores> scores_;
  std::shared_ptr<Shortlist> shortlist_;
  int measured_before_ = 0, failed_before_ = 0;  // by earlier searches
};

// Whether the best of the shortlist was found; not if somebody interrupts it, and then the simulated plan stands.
bool RealJudge::run_shortlist(Outcome& outcome, const Caller& caller) {
  std::vector<Plan> plans = shortlist_->plans();
  plans.insert(plans.begin(), outcome.plan);
  std::optional<Score> best;
  for (const Plan& plan : plans) {
    if (caller.wants_to_stop()) break;
    const Score score = scores_->score(plan);
    if (caller.wants_to_stop() || (best && !better(score, *best))) continue;
    best = score;
    outcome.plan = plan;
  }
  outcome.interrupted |= caller.wants_to_stop();
  if (best) outcome.score = *best;
  return best.has_value();
}

std::string RealJudge::told_of_runs(Picoseconds predicted, int measured) const {
  const std::string runs =
      fmt::format("{} {} run", counted(static_cast<std::uint64_t>(measured), "plan"), measured == 1 ? "was" : "were");
  if (is_measured_) return "measured: " + runs;
  return fmt::format("simulated, then {}, the first predicted at {}", runs, format_time(predicted));
}

void RealJudge::settle(const Search& search, Outcome& outcome, Caller& caller) {
  MeasureSession& session = scores_->session();
  outcome.score = simulate(problem_, outcome.plan);
  const Picoseconds predicted = outcome.score.step_time;
  outcome.lower_bound = 0;
  if (search.note_tells_proof()) outcome.note.clear();
  outcome.note = with_semicolon(outcome.note);
  const Plan chosen = outcome.plan;
  if (!is_measured_ && !run_shortlist(outcome, caller)) {
    outcome.note += "interrupted before it could be run";
    return;
  }
  if (outcome.plan != chosen) outcome.note.clear();  // it is about another plan
  // The least of many noisy times is too low: what is said about a plan comes from a run of its own.
  outcome.score = scores_->confirmed(outcome.plan);
  outcome.is_measured = true;
  const int measured = session.measured() - std::exchange(measured_before_, session.measured());
  const int failed = session.failed() - std::exchange(failed_before_, session.failed());
  outcome.note += told_of_runs(predicted, measured);
  if (const auto why = scores_->failure(outcome.plan)) {
    outcome.error =
        infeasible("{}, and none could be run; the best by prediction failed: {}",
                   measured == 1 ? "one plan was tried" : fmt::format("{} plans were tried", measured), *why);
  }
  if (failed > 0) outcome.note += fmt::format(", {} failed ({})", failed, session.last_failure());
}

}  // namespace

Result<Environment> find_environment(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedEnvironment& row : kEnvironments) {
    if (row.name == name) return row.environment;
    names.emplace_back(row.name);
  }
  return bad_input("no environment named '{}'; there are: {}{}", name, join(names, ", "), did_you_mean(name, names));
}

Status check_can_simulate(const Budget& budget, const Problem& problem) {
  if (const auto missing = check_simulate_on(problem, budget.simulate_on)) return within("--simulate-on", *missing);
  return {};
}

std::unique_ptr<Judge> simulated_judge(const Problem& problem) { return std::make_unique<SimulatedJudge>(problem); }

Result<std::unique_ptr<Judge>> make_judge(const JudgeRequest& request, const std::string& graph, const Problem& problem,
                                          Caller& caller) {
  if (request.environment == Environment::kSimulate) {
    if (request.measurements.empty()) return simulated_judge(problem);
    return bad_input("--measurements: nothing is run with --env simulate; say --env measure or --env both");
  }
  if (problem.objective() != Objective::kStep) {
    return bad_input("--env {}: only steps can be measured", name_of(request.environment));
  }
  BERTH_TRY(std::unique_ptr<MeasureSession> session, open_session(graph, problem, request.measuring, caller));
  BERTH_TRY(MeasuredScores::Listener listener, listener_for(request.measurements));
  auto scores = std::make_shared<MeasuredScores>(std::move(session), std::move(listener));
  return std::unique_ptr<Judge>(std::make_unique<RealJudge>(problem, request, std::move(scores)));
}

}  // namespace berth
