// SPDX-License-Identifier: Apache-2.0
// The learned planners as everything else sees them: a table like that of the classical ones, each trained from scratch
// within the budget, or going on from a policy that was trained before.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/communicator.h"
#include "learn/environment.h"
#include "learn/learner.h"
#include "plan/planners.h"
#include "runs/options.h"

namespace berth::learn {

std::span<const PlannerInfo> learned_planners();

// Whether a policy of that planner is for any graph and any machine: it can learn from several problems at once, and
// serve one that it has never seen.
bool is_general(std::string_view planner);
// Why a policy of that planner is not, in words; empty if it is.
std::string_view why_not_general(std::string_view planner);

// A policy in training, from scratch: one lesson per environment. Several need a planner that is general. The
// environments' problems and the communicator must outlive it. `policy_device` is "cpu" or "cuda" ("cuda:1").
Result<std::unique_ptr<Learner>> make_learner(std::string_view planner,
                                              std::vector<std::unique_ptr<Environment>> environments,
                                              const Options& options, std::uint64_t seed,
                                              const std::string& policy_device, Communicator& communicator);

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
std::unique_ptr<Planner> make_learned_planner(std::string_view name, const Options& options,
                                              const std::string& policy_device = "cpu", bool judged_by_search = false);
std::unique_ptr<Planner> make_trained_planner(std::string_view name, const Options& options,
                                              const std::string& policy_device, Trained trained);

}  // namespace berth::learn
