// SPDX-License-Identifier: Apache-2.0
// ChosenPlanner: a planner that can run, with the options it was chosen with.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plan/planners.h"

namespace berth {

struct ChosenPlanner {
  std::string name;
  std::function<std::unique_ptr<Planner>()> make;
  // Whether it is for this problem at all, asked before the search; empty: for any.
  std::function<Status(const Problem&)> check = {};
  bool uses_seed = true;     // results depend on the seed
  bool takes_start = false;  // goes on from a plan that is given
};

inline ChosenPlanner chosen(const PlannerInfo& info) {
  return {std::string(info.name), info.make, {}, info.uses_seed, info.takes_start};
}

// The same planner, which goes on from this plan; it must take a start, and the plan must pass verify() and fuse
// nothing.
ChosenPlanner starting_at(const ChosenPlanner& planner, Plan start);

}  // namespace berth
