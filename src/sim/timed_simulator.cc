// SPDX-License-Identifier: Apache-2.0
#include "sim/timed_simulator.h"

#include "sim/engine/engine.h"
#include "sim/sequential/sequential.h"

namespace berth {

TimedSimulator::TimedSimulator(const Problem& problem) {
  if (problem.machine().overlap()) {
    engine_ = std::make_unique<Engine>(problem);
  } else {
    sequential_ = std::make_unique<SequentialEngine>(problem);
  }
}
TimedSimulator::~TimedSimulator() = default;

const Score& TimedSimulator::run(const Plan& plan, OpTimes& times) {
  if (sequential_) return sequential_->run_with_times(plan, times.ready, times.end);
  return engine_->run_with_times(plan, times.ready, times.end);
}

}  // namespace berth
