// SPDX-License-Identifier: Apache-2.0
#include "sim/evaluator.h"

#include <optional>

#include "sim/batch/batch_simulator.h"
#include "sim/pipeline.h"
#include "sim/simulator.h"

namespace berth {
namespace {

class StepEvaluator final : public Evaluator {
 public:
  explicit StepEvaluator(const Problem& problem) : simulator_(problem) {}

  using Evaluator::evaluate;
  const Score& evaluate(const Plan& plan) override { return simulator_.run(plan); }
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) override {
    return simulator_.run_bounded(plan, cutoff);
  }
  void rebase(const Plan& plan) override { simulator_.rebase(plan); }

 private:
  Simulator simulator_;
};

// Single plans here, batches wherever they are to run.
class BatchingEvaluator final : public Evaluator {
 public:
  BatchingEvaluator(const Problem& problem, int threads, SimulateOn on)
      : problem_(problem), threads_(threads), on_(on), single_(make_single_evaluator(problem)) {}

  const Score& evaluate(const Plan& plan) override { return single_->evaluate(plan); }
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) override {
    return single_->evaluate_bounded(plan, cutoff);
  }
  void rebase(const Plan& plan) override { single_->rebase(plan); }

  const BatchScores& evaluate(const PlanBatch& plans) override { return batches().evaluate(plans); }
  bool likes_whole_batches() override { return on_ != SimulateOn::kCpu && !batches().use().card.empty(); }
  [[nodiscard]] const BatchUse* batch_use() const override { return batches_ ? &batches_->use() : nullptr; }

 private:
  // Only with the first batch: many planners never have several plans at once. That a GPU is there was checked before;
  // one that went away since is noted like one that is lost on the way.
  BatchSimulator& batches() {
    if (batches_) return *batches_;
    auto made = BatchSimulator::make(problem_, threads_, on_);
    if (!made.ok()) made = BatchSimulator::make(problem_, threads_, SimulateOn::kAuto);  // never fails
    return batches_.emplace(std::move(made).value());
  }

  const Problem& problem_;
  int threads_;
  SimulateOn on_;
  std::unique_ptr<Evaluator> single_;
  std::optional<BatchSimulator> batches_;
};

}  // namespace

const BatchScores& Evaluator::evaluate(const PlanBatch& plans) {
  for (std::size_t i = 0; i < plans.size; ++i) {
    plans.read(i, plan_);
    const Score& score = evaluate(plan_);
    scores_.num_places = score.devices.size() + score.pool_peaks.size();
    if (scores_.size() != plans.size) scores_.resize(plans.size);
    scores_.set(i, score);
  }
  return scores_;
}

std::unique_ptr<Evaluator> make_single_evaluator(const Problem& problem) {
  if (problem.objective() == Objective::kPipeline) return make_pipeline_evaluator(problem);
  return std::make_unique<StepEvaluator>(problem);
}

std::unique_ptr<Evaluator> make_simulated_evaluator(const Problem& problem, int threads, SimulateOn on) {
  return std::make_unique<BatchingEvaluator>(problem, threads, on);
}

}  // namespace berth
