// SPDX-License-Identifier: Apache-2.0
// TimedSimulator: scores plans and says when every op was ready and ended. Much less than a timeline, for those who
// look at every plan they try.
#pragma once

#include <memory>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

class Engine;
class SequentialEngine;

// Timeless ops included; indexed by OpId. Empty where nobody knows.
struct OpTimes {
  std::vector<Picoseconds> ready, end;
};

// Workspace of one thread, for steps (a pipeline has no such times). The problem must outlive it.
class TimedSimulator {
 public:
  explicit TimedSimulator(const Problem& problem);
  ~TimedSimulator();
  TimedSimulator(const TimedSimulator&) = delete;
  TimedSimulator& operator=(const TimedSimulator&) = delete;

  // The plan must pass verify(). The score, which is that of Simulator::run(), is valid until the next run.
  const Score& run(const Plan& plan, OpTimes& times);

 private:
  std::unique_ptr<Engine> engine_;                // one of the two
  std::unique_ptr<SequentialEngine> sequential_;  // of machines without overlap
};

}  // namespace berth
