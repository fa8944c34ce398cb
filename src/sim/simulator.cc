// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

#include <optional>

#include "base/thread_pool.h"
#include "sim/engine/engine.h"
#include "sim/pipeline.h"
#include "sim/sequential/sequential.h"

namespace berth {

Simulator::Simulator(const Problem& problem) {
  if (problem.machine().overlap()) {
    engine_ = std::make_unique<Engine>(problem);
  } else {
    sequential_ = std::make_unique<SequentialEngine>(problem);
  }
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Score& Simulator::run(const Plan& plan) { return engine_ ? engine_->run(plan) : sequential_->run(plan); }
const Score* Simulator::run_bounded(const Plan& plan, Picoseconds cutoff) {
  if (engine_) return engine_->run_bounded(plan, cutoff);
  const Score& score = sequential_->run(plan);
  return score.step_time <= cutoff ? &score : nullptr;
}
void Simulator::rebase(const Plan& plan) {
  if (engine_) engine_->rebase(plan);
}
Timeline Simulator::run_with_timeline(const Plan& plan) {
  return engine_ ? engine_->run_with_timeline(plan) : sequential_->run_with_timeline(plan);
}
std::uint64_t Simulator::last_events() const { return engine_ ? engine_->events() : sequential_->events(); }

Score simulate(const Problem& problem, const Plan& plan) {
  if (problem.objective() == Objective::kPipeline) return pipeline_score(problem, plan);
  return Simulator(problem).run(plan);
}
Timeline simulate_timeline(const Problem& problem, const Plan& plan) {
  if (problem.objective() == Objective::kPipeline) return {pipeline_score(problem, plan), {}, {}, {}, {}};
  return Simulator(problem).run_with_timeline(plan);
}

bool better(const Score& a, const Score& b) {
  if (a.feasible != b.feasible) return a.feasible;
  if (!a.feasible && a.overflow->over != b.overflow->over) return a.overflow->over < b.overflow->over;
  return a.step_time < b.step_time;
}

namespace {

// One workspace per thread; a plan's score does not depend on which of them ran it.
class SimulatedEvaluator final : public Evaluator {
 public:
  SimulatedEvaluator(const Problem& problem, int threads) : problem_(problem), num_threads_(threads) {
    simulators_.emplace_back(problem);
  }

  const Score& evaluate(const Plan& plan) override { return simulators_.front().run(plan); }
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) override {
    return simulators_.front().run_bounded(plan, cutoff);
  }
  void rebase(const Plan& plan) override { simulators_.front().rebase(plan); }

  std::span<const Score> evaluate(std::span<const Plan> plans) override {
    if (scores_.size() < plans.size()) scores_.resize(plans.size());
    if (!pool_) start_threads();
    pool_->for_each(plans.size(), [&](std::size_t i, int worker) {
      scores_[i] = simulators_[static_cast<std::size_t>(worker)].run(plans[i]);
    });
    return std::span<const Score>(scores_).first(plans.size());
  }

 private:
  void start_threads() {  // only now: many planners never have several plans at once
    pool_.emplace(num_threads_);
    while (simulators_.size() < static_cast<std::size_t>(pool_->size())) simulators_.emplace_back(problem_);
  }

  const Problem& problem_;
  int num_threads_;
  std::optional<ThreadPool> pool_;
  std::vector<Simulator> simulators_;
  std::vector<Score> scores_;
};

}  // namespace

std::unique_ptr<Evaluator> make_simulated_evaluator(const Problem& problem, int threads) {
  if (problem.objective() == Objective::kPipeline) return make_pipeline_evaluator(problem, threads);
  return std::make_unique<SimulatedEvaluator>(problem, threads);
}

}  // namespace berth
