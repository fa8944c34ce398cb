// SPDX-License-Identifier: Apache-2.0
// Outcome: a plan, how it came to be and what it is worth: what place, score and each row of compare report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"
#include "report/report.h"
#include "sim/batch/plan_batch.h"
#include "sim/bounds/bounds.h"
#include "sim/timeline.h"

namespace berth {

struct Outcome {
  std::string planner;
  std::string note;                         // how the plan came to be, for people
  std::string fusion, schedule;             // who fused and ordered what the planner had placed; empty: it did
  std::optional<Error> error;               // the planner has no plan at all; plan and score are empty then
  std::optional<std::string> plan_machine;  // the machine that a plan from a file was made for
  Plan plan;
  Score score;
  std::optional<Picoseconds> best_seen = {};  // of a plan that a planner saw and did not take
  Picoseconds lower_bound = 0;
  std::string bound_name = {};    // what the bound rests on, "queue or send"; empty: nobody said
  std::string bound_reason = {};  // why no plan is faster, a sentence for people
  bool searched = true;           // somebody looked for better plans; nobody did for a plan from a file alone
  bool is_measured = false;       // the score is that of a real run
  bool interrupted = false;       // the caller stopped it before the planner was done ...
  bool started = true;            // ... or before it began; error is set then
  bool cut_short = false;         // budget or caller ended it: with more it might have gone on
  double search_s = 0.0;
  std::uint64_t evaluations = 0, seed = 1;
  BatchUse batches = {};                              // what of these ran where, if a GPU was in the game
  std::vector<report::Improvement> convergence = {};  // as the search went

  [[nodiscard]] bool feasible() const { return !error && score.feasible; }
  // The objective's value; a plan that does not fit in memory has none.
  [[nodiscard]] std::optional<double> value_s() const {
    return feasible() ? std::optional(to_seconds(score.step_time)) : std::nullopt;
  }
};

// Says of an outcome what its lower bound rests on: on this bound, or on what a planner proved beyond it.
void tell_bound(const Problem& problem, const LowerBound& bound, Outcome& outcome);

// "no plan takes less than 516 ms (queue or send): ..."; empty if nobody said what the bound rests on.
std::string bound_sentence(const Outcome& outcome);

// What a given plan is worth.
Outcome score_plan(const Problem& problem, std::string planner, const Plan& plan);

// Best first: feasible by step time, infeasible, without a plan. Stable, so equals keep the order of the request.
void rank(std::vector<Outcome>& outcomes);

// How far the busiest device is above the mean of those that take work: busy time per lane, max / mean - 1. 0 if none
// does.
double imbalance(const Machine& machine, const Score& score);

// Joules per step (or sample): busy devices draw their watts, idle ones their idle watts. 0 if the machine does not
// know them.
double joules_per_step(const Machine& machine, const Score& score);

// Seconds between which a real step is to be expected, with 90 %; none if the machine does not know.
struct StepRange {
  double low_s = 0.0, high_s = 0.0;
};
std::optional<StepRange> step_range(const Machine& machine, const Score& predicted);
// None either if the score is one of a real step, or of no step at all.
std::optional<StepRange> step_range(const Problem& problem, const Outcome& outcome);

// Groups of two ops and more that run as one, and how many ops they hold.
struct FusedCount {
  std::size_t groups = 0, ops = 0;
};
FusedCount count_fused(const Plan& plan);

// Number of ops on every device.
std::vector<std::size_t> ops_per_device(const Problem& problem, const Plan& plan);

// Memory of a device, or of the pool it draws on.
struct MemoryUse {
  std::string name;
  Bytes peak = 0, capacity = 0;
  [[nodiscard]] double share() const;
};
MemoryUse memory_use(const Problem& problem, const Score& score, DeviceId device);
MemoryUse fullest_memory_use(const Problem& problem, const Score& score);

}  // namespace berth
