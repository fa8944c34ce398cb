// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

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

}  // namespace berth
