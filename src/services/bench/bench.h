// SPDX-License-Identifier: Apache-2.0
// Every contestant on every problem of a suite, with equal budgets and seeds. Plans are verified and judged by the one
// simulator, whoever made them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/bench/contestant.h"
#include "services/bench/suite.h"
#include "services/caller.h"

namespace berth {

struct BenchRequest {
  Suite suite;
  std::vector<Contestant> contestants = {};
  Budget budget = {};        // of every run; its seed is the first one
  std::uint64_t seeds = 3;   // runs on a problem, of contestants whose results depend on the seed
  std::string plans = {};    // folder for the plan of every run, CONTESTANT/ROW.json or ROW.SEED.json; empty: none
  std::string made_by = {};  // the command, for whoever reads the leaderboard
};

enum class RunState : std::uint8_t {
  kFits,
  kOutOfMemory,
  kNoPlan,       // the planner has none, there is no such file, or it breaks a rule
  kInterrupted,  // the caller stopped it on its way: others had more
  kNotRun,       // the caller stopped before
};
std::string_view name_of(RunState state);  // "fits", "OOM", "no plan", ...

struct BenchRun {
  std::uint64_t seed = 0;  // 0: the result depends on none
  RunState state = RunState::kNotRun;
  Picoseconds step_time = 0;  // if it fits
  std::string note = {};      // why there is no time, or how the plan came to be
  std::uint64_t evaluations = 0;
  double search_s = 0.0;
  bool late = false;  // took longer than its time, 5 % and 100 ms
};

// A contestant on a problem: all its seeds.
struct BenchCell {
  std::vector<BenchRun> runs;

  [[nodiscard]] std::size_t fitting() const;
  [[nodiscard]] bool is_complete() const;  // nobody stopped it
  // Runs without a time count as the longest, so the median is a time only if most runs have one; of two in the middle
  // it is the longer.
  [[nodiscard]] std::optional<Picoseconds> median() const;
  // Of the runs that fit; there must be one.
  [[nodiscard]] Picoseconds least() const;
  [[nodiscard]] Picoseconds most() const;
};

struct BenchRow {
  SuiteRow problem;
  std::size_t ops = 0, edges = 0, devices = 0;  // 0 if the caller stopped before
  Picoseconds lower_bound = 0;
  std::vector<BenchCell> cells = {};  // one for each contestant

  // No plan can be faster: the optimum, else the lower bound.
  [[nodiscard]] Picoseconds known() const { return problem.optimum.value_or(lower_bound); }
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] std::optional<Picoseconds> best() const;  // the least median
};

struct BenchAnswer {
  std::string suite;  // "quick/1"
  std::string made_by;
  Budget budget;
  std::uint64_t seeds = 0;
  std::vector<std::string> contestants;
  std::vector<BenchRow> rows;
  std::size_t runs = 0, runs_done = 0;  // done: not stopped
  Status saved = {};                    // plans that could not be written do not end the rest

  [[nodiscard]] bool interrupted() const { return runs_done < runs; }
};

Result<BenchAnswer> bench(const BenchRequest& request, Caller& caller);

// Why there is no plan that fits at all, if there is none.
std::optional<Error> failure_of(const BenchAnswer& answer);

// What is known of a problem, or of all of a suite, without any run.
BenchRow look_at(const SuiteRow& row, const Problem& problem);
Result<std::vector<BenchRow>> look_at_suite(const Suite& suite, Caller& caller);

}  // namespace berth
