// SPDX-License-Identifier: Apache-2.0
#include "services/bench/bench.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "services/plan/judge.h"
#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/words.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 5> kStateNames{"fits", "OOM", "no plan", "interrupted", "not run"};

bool is_done(const BenchRun& run) { return run.state != RunState::kInterrupted && run.state != RunState::kNotRun; }

std::uint64_t runs_of(const Contestant& contestant, std::uint64_t seeds) { return contestant.uses_seed() ? seeds : 1; }

// Passes on what a run says, with a word in front about which run it is.
class RunCaller : public Caller {
 public:
  RunCaller(Caller& caller, std::string what) : caller_(caller), what_(std::move(what)) { caller_.show(what_); }
  void note(const std::string& text) override { caller_.note(text); }
  void show(const std::string& text) override { caller_.show(fmt::format("{}: {}", what_, text)); }
  void show(const SearchState& state) override {
    show(fmt::format("{:.1f} s, {} plans{}", state.elapsed_s, group_digits(state.evaluations),
                     state.best ? fmt::format(", best {}, gap {}", format_time(*state.best),
                                              gap_text(*state.best, state.lower_bound))
                                : ""));
  }
  void part_ends() override { caller_.part_ends(); }
  [[nodiscard]] const std::atomic<bool>* stop_flag() const override { return caller_.stop_flag(); }

 private:
  Caller& caller_;
  std::string what_;
};

RunState state_of(const Outcome& outcome) {
  if (outcome.interrupted) return RunState::kInterrupted;
  if (outcome.error) return RunState::kNoPlan;
  return outcome.score.feasible ? RunState::kFits : RunState::kOutOfMemory;
}

BenchRun run_of(const Problem& problem, const Outcome& outcome, const Budget& budget) {
  BenchRun run{.state = state_of(outcome), .note = outcome.note};
  if (run.state == RunState::kFits) run.step_time = outcome.score.step_time;
  if (run.state == RunState::kOutOfMemory) run.note = overflow_words(problem, outcome);
  if (outcome.error) run.note = outcome.error->message;
  if (!outcome.error && !outcome.plan.fusions.empty()) {
    run.state = RunState::kNoPlan;
    run.note = "the plan fuses ops, which is another problem than the suite's";
  }
  if (!outcome.searched) return run;
  run.evaluations = outcome.evaluations;
  run.search_s = outcome.search_s;
  run.late = budget.evaluations == 0 && outcome.search_s > 1.05 * budget.time_s + 0.1;
  return run;
}

class Contest {
 public:
  Contest(const BenchRequest& request, Caller& caller) : request_(request), caller_(caller) {
    answer_.suite = request.suite.full_name();
    answer_.made_by = request.made_by;
    answer_.budget = request.budget;
    answer_.seeds = request.seeds;
    for (const Contestant& contestant : request.contestants) {
      answer_.contestants.push_back(contestant.name);
      answer_.runs += runs_of(contestant, request.seeds) * request.suite.rows.size();
    }
  }

  Result<BenchAnswer> hold() && {
    caller_.work_begins();
    for (const SuiteRow& row : request_.suite.rows) BERTH_RETURN_IF_ERROR(add_row(row));
    return std::move(answer_);
  }

 private:
  Status add_row(const SuiteRow& row) {
    if (caller_.wants_to_stop()) {
      answer_.rows.push_back({.problem = row});
      for (const Contestant& contestant : request_.contestants) {
        answer_.rows.back().cells.push_back({std::vector<BenchRun>(runs_of(contestant, request_.seeds))});
      }
      return {};
    }
    BERTH_TRY(LoadedProblem read, load_problem(row.request(), caller_));
    const auto loaded = std::make_shared<const LoadedProblem>(std::move(read));
    if (const Status can = check_can_simulate(request_.budget, loaded->problem); !can) {
      return within(row.name, can.error());
    }
    answer_.rows.push_back(look_at(row, loaded->problem));
    for (const Contestant& contestant : request_.contestants) {
      BenchCell& cell = answer_.rows.back().cells.emplace_back();
      for (std::uint64_t run = 0; run < runs_of(contestant, request_.seeds); ++run) {
        cell.runs.push_back(run_once(contestant, loaded, request_.budget.seed + run));
        answer_.runs_done += is_done(cell.runs.back()) ? 1 : 0;
      }
    }
    return {};
  }

  using Loaded = std::shared_ptr<const LoadedProblem>;

  BenchRun run_once(const Contestant& contestant, const Loaded& loaded, std::uint64_t seed) {
    const std::string& row = answer_.rows.back().problem.name;
    const std::uint64_t shown_seed = contestant.uses_seed() ? seed : 0;
    BenchRun run{.seed = shown_seed};
    if (caller_.wants_to_stop()) return run;
    Budget budget = request_.budget;
    budget.seed = seed;
    RunCaller caller(caller_,
                     fmt::format("run {} of {}: {} on {}{}", answer_.runs_done + 1, answer_.runs, contestant.name, row,
                                 shown_seed > 0 ? fmt::format(", seed {}", shown_seed) : ""));
    const Outcome outcome = outcome_of(contestant, loaded, budget, caller);
    caller.part_ends();
    run = run_of(loaded->problem, outcome, budget);
    run.seed = shown_seed;
    if (!outcome.error) save(contestant.name, run, loaded->problem, outcome);
    return run;
  }

  Outcome outcome_of(const Contestant& contestant, const Loaded& loaded, const Budget& budget, Caller& caller) {
    const BenchRow& row = answer_.rows.back();
    const Problem& problem = loaded->problem;
    Outcome none;
    if (contestant.plans_itself()) {
      const ChosenPlanner planner =
          contestant.planner ? *contestant.planner : contestant.planner_for(row.problem, loaded);
      const Status suits = planner.check ? planner.check(problem) : Status();
      if (suits) return run_planner(problem, planner, budget, row.lower_bound, caller);
      none.error = suits.error();
      return none;
    }
    const std::string path = contestant.plans.path(row.problem.name, budget.seed);
    Result<Outcome> scored = score_plan_file(path, contestant.name, row.problem.request(), problem);
    if (scored) return *std::move(scored);
    none.searched = false;
    none.error = scored.error();
    return none;
  }

  void save(const std::string& name, const BenchRun& run, const Problem& problem, const Outcome& outcome) {
    if (request_.plans.empty() || !answer_.saved.ok()) return;
    const std::filesystem::path folder = std::filesystem::path(request_.plans) / name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string& row = answer_.rows.back().problem.name;
    const std::string file = run.seed > 0 ? fmt::format("{}.{}.json", row, run.seed) : row + ".json";
    answer_.saved = save_plan((folder / file).string(), problem, outcome);
  }

  const BenchRequest& request_;
  Caller& caller_;
  BenchAnswer answer_;
};

std::vector<Picoseconds> times_of(const BenchCell& cell) {
  std::vector<Picoseconds> times;
  for (const BenchRun& run : cell.runs) {
    if (run.state == RunState::kFits) times.push_back(run.step_time);
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

std::string_view name_of(RunState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::size_t BenchCell::fitting() const { return times_of(*this).size(); }

bool BenchCell::is_complete() const { return std::ranges::all_of(runs, is_done); }

std::optional<Picoseconds> BenchCell::median() const {
  const std::vector<Picoseconds> times = times_of(*this);
  const std::size_t middle = runs.size() / 2;
  return middle < times.size() ? std::optional(times[middle]) : std::nullopt;
}

Picoseconds BenchCell::least() const { return times_of(*this).front(); }
Picoseconds BenchCell::most() const { return times_of(*this).back(); }

bool BenchRow::is_complete() const { return std::ranges::all_of(cells, &BenchCell::is_complete); }

std::optional<Picoseconds> BenchRow::best() const {
  std::optional<Picoseconds> best;
  for (const BenchCell& cell : cells) {
    if (const auto median = cell.median()) best = std::min(*median, best.value_or(*median));
  }
  return best;
}

Result<BenchAnswer> bench(const BenchRequest& request, Caller& caller) {
  BERTH_RETURN_IF_ERROR(check_names(request.contestants));
  for (const Contestant& contestant : request.contestants) {
    if (contestant.plans_itself()) continue;
    const Status there = contestant.plans.check(request.suite.rows, request.budget.seed);
    if (!there) return within(fmt::format("--plan {}", contestant.name), there.error());
  }
  return Contest(request, caller).hold();
}

std::optional<Error> failure_of(const BenchAnswer& answer) {
  for (const BenchRow& row : answer.rows) {
    if (row.best()) return std::nullopt;
  }
  if (answer.interrupted()) return infeasible("interrupted before any plan that fits in memory was found");
  return infeasible("nobody found a plan that fits in memory");
}

BenchRow look_at(const SuiteRow& row, const Problem& problem) {
  return {.problem = row,
          .ops = problem.graph().num_ops(),
          .edges = problem.graph().num_edges(),
          .devices = problem.machine().num_devices(),
          .lower_bound = lower_bound(problem).value()};
}

Result<std::vector<BenchRow>> look_at_suite(const Suite& suite, Caller& caller) {
  std::vector<BenchRow> rows;
  for (const SuiteRow& row : suite.rows) {
    BERTH_TRY(const LoadedProblem loaded, load_problem(row.request(), caller));
    rows.push_back(look_at(row, loaded.problem));
  }
  return rows;
}

}  // namespace berth
