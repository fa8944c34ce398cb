// SPDX-License-Identifier: Apache-2.0
// A plan that can be followed on paper, for what reports say about plans.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "sim/critical_path.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::report {

inline constexpr Picoseconds kSecond = 1'000'000'000'000;

inline OpId op_named(const Problem& problem, std::string_view name) {
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().name(op) == name) return op;
  }
  ADD_FAILURE() << name;
  return kNoOp;
}

// a runs 0-2 on device 0, is sent 2-3, c runs 3-6 on device 1; b runs 2-5 on device 0. The step ends with c.
struct Fork {
  Problem problem = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  Plan plan = toy_plan(problem, "a@0 b@0 c@1");
  Timeline timeline = simulate_timeline(problem, plan);
  std::vector<CriticalStep> path = critical_path(problem, plan, timeline);
};

}  // namespace berth::report
