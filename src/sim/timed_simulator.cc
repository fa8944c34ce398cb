// SPDX-License-Identifier: Apache-2.0
#include "sim/timed_simulator.h"

#include "sim/engine.h"

namespace berth {

TimedSimulator::TimedSimulator(const Problem& problem) : engine_(std::make_unique<Engine>(problem)) {}
TimedSimulator::~TimedSimulator() = default;

const Score& TimedSimulator::run(const Plan& plan, OpTimes& times) {
  return engine_->run_with_times(plan, times.ready, times.end);
}

}  // namespace berth
