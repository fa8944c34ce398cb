// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_timeline.h"

#include "sim/engine/engine.h"

namespace berth {

std::vector<MemoryEvent> memory_timeline(const Problem& problem, const Plan& plan) {
  if (problem.objective() == Objective::kPipeline) return {};
  Engine engine(problem);
  engine.run_with_timeline(plan);
  return engine.memory();
}

}  // namespace berth
