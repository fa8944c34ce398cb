// SPDX-License-Identifier: Apache-2.0
// Environment: where sampled plans are measured while the policy goes on. Simulated here; measured on hardware
// elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "plan/planner.h"
#include "runs/reward.h"
#include "sim/batch/plan_batch.h"
#include "sim/timed_simulator.h"

namespace berth::learn {

class Environment {
 public:
  virtual ~Environment() = default;
  [[nodiscard]] virtual const Problem& problem() const = 0;
  // Takes a plan that passes verify() and returns at once; it is measured in the background.
  virtual void submit(Plan plan) = 0;
  // Waits for everything that was submitted since the last call: scores in the order of submission. If `should_stop`
  // becomes true meanwhile, what has not begun is dropped: the scores of the first plans only.
  virtual std::vector<Score> collect(const std::function<bool()>& should_stop = {}) = 0;

  // For policies that look at what they did: from now on the times of all ops are kept, where the environment knows
  // them. take_times() has those of the plans of the last collect(), in the same order, or nothing.
  virtual void keep_times() {}
  virtual std::vector<OpTimes> take_times() { return {}; }
};

// Simulates with that many threads of its own, while the policy goes on; on a GPU, where one is demanded (kCuda), all
// plans at once when they are collected. Scores are the same. The problem must outlive it.
std::unique_ptr<Environment> make_simulated_environment(const Problem& problem, int threads,
                                                        SimulateOn on = SimulateOn::kCpu);

// A score as the policy sees it.
Measurement measurement_of(const Problem& problem, const Score& score);

// `--env-noise P`: every time is multiplied by exp(P * normal), as a noisy machine would. What is kept as the best plan
// is judged without it.
Measurement with_noise(Measurement measurement, double noise, Rng& rng);

}  // namespace berth::learn
