// SPDX-License-Identifier: Apache-2.0
// Several planners and plans on one problem, best first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/judge.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

struct Comparison {
  std::vector<Outcome> rows;      // best first; each with the best lower bound that any of them proved
  std::optional<Outcome> single;  // the best single device, also when it is no row; none if the caller stopped first
};

// Runs every planner with the budget, one after the other, until the caller stops. `given` are further rows.
Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Judge& judge, Caller& caller);
// The same, judged by simulation.
Comparison compare(const Problem& problem, std::span<const ChosenPlanner> planners, const Budget& budget,
                   const std::vector<Outcome>& given, Caller& caller);

struct CompareRequest {
  ProblemRequest problem;
  std::vector<ChosenPlanner> planners;
  std::vector<std::string> plans = {};  // files, a row each, as score() reads them
  JudgeRequest judge = {};
  Budget budget = {};
};

struct CompareAnswer {
  LoadedProblem loaded;
  Comparison comparison = {};
  // On the machine as it is, where the request changed it.
  struct Unchanged {
    LoadedProblem loaded;
    Comparison comparison;
  };
  std::optional<Unchanged> before = {};
};
// A placement in the model's file is a row too.
Result<CompareAnswer> compare(const CompareRequest& request, Caller& caller);

// Why there is no plan that fits, if there is none.
std::optional<Error> failure_of(const CompareAnswer& answer);

}  // namespace berth
