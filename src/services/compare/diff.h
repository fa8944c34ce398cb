// SPDX-License-Identifier: Apache-2.0
// Two plans for one graph: what moved from the first to the second, and what that did to the step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/caller.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

struct DiffRequest {
  std::string before, after;                   // plan files; with a problem in any format that score() reads
  std::optional<ProblemRequest> problem = {};  // none: the files alone speak
};

struct Moves {
  std::size_t ops = 0;                                               // of the plans
  std::map<std::pair<std::string, std::string>, std::size_t> count;  // moved, by (from, to)
  std::vector<std::string> names;                                    // of moved ops
  [[nodiscard]] std::size_t total() const { return names.size(); }
};

// With a problem: both plans simulated, and which parts of the model moved.
struct DiffEffect {
  LoadedProblem loaded;
  Outcome before, after;
  std::vector<std::pair<std::string, std::size_t>> parts;  // name, ops moved; most first
};

struct DiffAnswer {
  Moves moves;
  std::optional<double> before_s, after_s;  // of a step: simulated, or as predicted when the plans were made
  std::optional<DiffEffect> effect = {};
};
Result<DiffAnswer> diff_plans(const DiffRequest& request, Caller& caller);

}  // namespace berth
