// SPDX-License-Identifier: Apache-2.0
// Simulates many plans of one problem at once, on all cores or on a GPU. The scores are those of Simulator, to the last
// bit, whatever ran them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "problem/problem.h"
#include "sim/batch/plan_batch.h"

namespace berth {

class GpuSimulator;

class BatchSimulator {
 public:
  // Fails only where a GPU is demanded and none can be used. The problem must outlive it.
  static Result<BatchSimulator> make(const Problem& problem, int threads, SimulateOn on = SimulateOn::kCpu);
  // With a GPU that somebody has made, which gets batches of at least so many plans.
  BatchSimulator(const Problem& problem, int threads, std::unique_ptr<GpuSimulator> gpu, std::size_t least_there);
  ~BatchSimulator();
  BatchSimulator(BatchSimulator&&) noexcept;
  BatchSimulator& operator=(BatchSimulator&&) noexcept;

  // Every plan must pass check_batch() (sim/batch/batch_check.h). Valid until the next call; nothing is allocated once
  // the first batch of a size is done. A GPU that is lost on the way ends in a note, and the processor goes on.
  const BatchScores& evaluate(const PlanBatch& plans);
  // The same of plans that somebody has made on the card (PlanBatch::is_on_card): they are verified there first, and
  // the first one of them is called `first_number`. Fails if one is not legal, if limits would have to be looked at, or
  // if there is no card, or no longer.
  Result<const BatchScores*> evaluate_on_card(const PlanBatch& plans, std::size_t first_number = 0);
  [[nodiscard]] const BatchUse& use() const;  // since it was made

 private:
  struct State;
  explicit BatchSimulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

Result<SimulateOn> find_simulate_on(const std::string& name);  // cpu, cuda, auto

// Nothing if batches of the problem can run where they are asked to, else why not: only a GPU can be missing.
std::optional<Error> check_simulate_on(const Problem& problem, SimulateOn on);

}  // namespace berth
