// SPDX-License-Identifier: Apache-2.0
// One plan for several problems with the same ops on one machine: a model at several sizes, whose tensors and times
// differ.
//
// Idea: a plan's regret in a problem is how much slower it is than the best plan known for that problem alone. The best
// shared plan has the least worst regret, and the mean regret counts a tenth (plan/shared/shared_evaluator.h); it must
// fit in memory in every problem. Starts are plans made for one problem each. The best of them go through multilevel
// refinement (plan/refine/refiner.h) with every move simulated in all problems, until one refuses it.
//
// Cost: an evaluation takes a simulation per problem at most; the whole budget, unless a plan without regret is found.
// Where it loses: moves are proposed by looking at the critical path of one problem, the one that takes longest. Sizes
// between those of the problems are not looked at.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plan/planner.h"

namespace berth {

struct SharedPlan {
  Plan plan;
  std::vector<Score> scores;  // of the plan, per problem
  // The best plan known for each problem alone: of the starts and the shared plan, so never worse there than that.
  std::vector<Plan> own;
  std::vector<Score> own_scores;
  std::size_t start = 0;  // index of the start that it came from ...
  bool refined = false;   // ... and whether refinement changed it
  double search_s = 0.0;
  std::uint64_t evaluations = 0;

  // How much slower than the problem's own plan is, 0 for not at all; none if the plan does not fit there.
  [[nodiscard]] std::optional<double> regret(std::size_t problem) const;
};

struct SharedPlanOptions {
  Budget budget = {};
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SearchState&)> progress = {};
};

// At least one problem and one start; all problems have the same machine. Errors: the graphs differ in more than sizes,
// or no start is legal in every problem.
Result<SharedPlan> plan_for_all(std::span<const Problem> problems, std::span<const Plan> starts,
                                const SharedPlanOptions& options = {});

}  // namespace berth
