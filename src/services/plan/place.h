// SPDX-License-Identifier: Apache-2.0
// From a request to a plan: the problem is loaded, a planner places, stages fuse and order, a judge says what it is
// worth, the plan is written, and the best single device stands beside it.
#pragma once

#include <optional>
#include <string>

#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/judge.h"
#include "services/plan/outcome.h"
#include "services/plan/stages.h"
#include "services/problem/problem_request.h"
#include "sim/timeline.h"

namespace berth {

struct PlaceRequest {
  ProblemRequest problem;
  ChosenPlanner planner = {};
  std::string start = {};      // plan file that the planner goes on from; empty: from nothing
  std::string placement = {};  // plan file whose devices stay, instead of a planner
  StageRequest stages = {};
  JudgeRequest judge = {};
  Budget budget = {};
  std::string output = {};  // plan file to write; empty: none
};

// The same plan or planner on the machine as it is, where the request changed it.
struct Unchanged {
  LoadedProblem loaded;
  Outcome outcome;
};

struct PlaceAnswer {
  LoadedProblem loaded;
  Outcome outcome;                     // if it has an error, everything below is empty
  std::optional<Outcome> single = {};  // the best single device; none if the caller stopped first
  std::optional<Unchanged> before = {};
  Status saved = {};  // a plan that could not be written is not lost: it is in the outcome
};

Result<PlaceAnswer> place(const PlaceRequest& request, Caller& caller);

// What a plan that exists would do.
struct ScoreRequest {
  ProblemRequest problem;
  std::string plan = {};  // its file; empty: the placement in the model's file
  bool timeline = false;  // with every op and transfer
};
struct ScoreAnswer {
  LoadedProblem loaded;
  Outcome outcome;
  std::optional<Outcome> single = {};
  std::optional<Unchanged> before = {};  // none either if the machine as it is lacks a device of the plan
  std::optional<Timeline> timeline = {};
};
Result<ScoreAnswer> score(const ScoreRequest& request, Caller& caller);

}  // namespace berth
