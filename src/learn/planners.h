// SPDX-License-Identifier: Apache-2.0
// The learned planners as everything else sees them: a table like that of the classical ones, each trained from scratch
// within the budget.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "learn/options.h"
#include "learn/policy.h"
#include "plan/planner.h"

namespace berth::learn {

std::span<const PlannerInfo> learned_planners();

// A planner with options of the user's own. `policy_device` is "cpu" or "cuda" ("cuda:1").
std::unique_ptr<Planner> make_learned_planner(std::string_view name, const Options& options,
                                              const std::string& policy_device = "cpu");

// The policy of a planner for a problem, untrained. The problem must outlive it.
Result<std::unique_ptr<Policy>> make_policy(std::string_view planner, const Problem& problem, const Options& options,
                                            std::uint64_t seed, const std::string& policy_device = "cpu");

}  // namespace berth::learn
