// SPDX-License-Identifier: Apache-2.0
// Learned methods as planners: trained from scratch within the budget, or going on from a policy that was trained
// before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "learn/methods.h"
#include "plan/planner.h"

namespace berth::learn {

// A policy that was trained before, and what is to be done with it.
struct Trained {
  std::vector<float> values;
  std::string name = {};           // what errors and notes call it
  std::optional<Plan> known_plan;  // of the same problem, found in training
  Proposals proposals = {};        // before it learns on
  bool fills_budget = true;        // as many proposals as evaluations are allowed, where these are counted
  std::uint64_t updates = 0;       // of learning on from there, within the budget
};

// A planner with options of the user's own. It simulates with all threads, unless plans are to be judged by the search.
std::unique_ptr<Planner> make_learned_planner(const Options& options, const std::string& policy_device = "cpu",
                                              bool judged_by_search = false);
std::unique_ptr<Planner> make_trained_planner(const Options& options, const std::string& policy_device,
                                              Trained trained);

}  // namespace berth::learn
