// SPDX-License-Identifier: Apache-2.0
// Evaluator: what a planner asks "how good is this?": simulated here, measured on hardware elsewhere.
#pragma once

#include <memory>

#include "problem/problem.h"
#include "sim/batch/plan_batch.h"
#include "sim/timeline.h"

namespace berth {

// Not thread-safe itself; a batch may use many threads inside, or a GPU, and has the same scores whatever ran it. What
// these return is valid until the next call; nothing is allocated per plan once the first batch of that size is done.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const Score& evaluate(const Plan& plan) = 0;
  // Of many at once what counts: step times, memory that lacks, peaks. One after the other unless somebody knows
  // better.
  virtual const BatchScores& evaluate(const PlanBatch& plans);
  // Whether thousands take hardly longer than a few, so that a batch should not be cut.
  virtual bool likes_whole_batches() { return false; }
  // What ran where in such batches, if that can be said.
  [[nodiscard]] virtual const BatchUse* batch_use() const { return nullptr; }
  // The exact score if the step takes at most `cutoff`, else nullptr. Memory is not judged by the cutoff: look at the
  // score.
  virtual const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) {
    const Score& score = evaluate(plan);
    return score.step_time <= cutoff ? &score : nullptr;
  }
  // Says that the plans to come differ little from this one. Changes no result, only speed.
  virtual void rebase(const Plan&) {}

 private:
  Plan plan_;  // of a batch, at hand
  BatchScores scores_;
};

// By the problem's objective. The problem must outlive it.
std::unique_ptr<Evaluator> make_single_evaluator(const Problem& problem);  // one thread
// Batches go to that many threads, or to a GPU; where there is none, the processor does them.
std::unique_ptr<Evaluator> make_simulated_evaluator(const Problem& problem, int threads,
                                                    SimulateOn on = SimulateOn::kCpu);

}  // namespace berth
