// SPDX-License-Identifier: Apache-2.0
// The simulator: (Problem, Plan) -> Score or Timeline, by the rules of docs/simulator.md. Deterministic to the last
// bit.
#pragma once

#include <memory>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

class Engine;
class SequentialEngine;

// Reusable workspace for one thread: no allocation per run after the first, but for plans that fuse ops. The problem
// must outlive it.
class Simulator {
 public:
  explicit Simulator(const Problem& problem);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  // The plan must pass verify(). The reference is valid until the next run.
  const Score& run(const Plan& plan);
  // The same score if the step takes at most `cutoff`, else nullptr, as a rule found out before the end. Memory is not
  // judged by the cutoff.
  const Score* run_bounded(const Plan& plan, Picoseconds cutoff);
  // Makes run_bounded() cheaper for plans that differ little from this one, until the next call. Costs about four runs,
  // once several followed.
  void rebase(const Plan& plan);
  [[nodiscard]] Timeline run_with_timeline(const Plan& plan);
  // Starts, ends, arrivals and control signals handled by the last run, for benchmarks.
  [[nodiscard]] std::uint64_t last_events() const;

 private:
  std::unique_ptr<Engine> engine_;                // on machines whose devices work at the same time ...
  std::unique_ptr<SequentialEngine> sequential_;  // ... and on the others
};

// One-shot conveniences.
Score simulate(const Problem& problem, const Plan& plan);
Timeline simulate_timeline(const Problem& problem, const Plan& plan);

}  // namespace berth
