// SPDX-License-Identifier: Apache-2.0
// --fusion, --schedule and --placement: decisions apart from the one where ops go.
#pragma once

#include <string>
#include <string_view>

#include "app/constraint_flags.h"
#include "app/outcome.h"
#include "base/result.h"
#include "plan/fuse/staged_planner.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace berth::app {

struct StageFlags {
  std::string fusion, schedule;  // names of methods; empty: not given
  std::string placement;         // plan file whose devices stay; empty: a planner places

  // The first flag that is set, as in "--fusion"; empty if none is.
  [[nodiscard]] std::string_view given() const;
};
// Gives the option for --placement back, which excludes planners.
CLI::Option* add_stage_flags(CLI::App& command, StageFlags& flags);

// Names looked up; an error names the nearest one.
Result<Stages> stages_of(const StageFlags& flags);
// Everything about the flags that can be said before a file is read.
Status check_stages(const StageFlags& flags);

// An error unless order and fusion make a difference to the problem's objective.
Status check_objective(const StageFlags& flags, const Problem& problem);

// The plan of --placement as an outcome: legal, and it meets the constraints.
Result<Outcome> read_placement(const StageFlags& flags, const ConstraintFlags& constraints, const Problem& problem);

// The part of a budget for who places, where stages follow.
Budget budget_to_place(const Budget& budget, const StageFlags& flags);

// What becomes of a placement that is no error by the stages, with what it has left of the budget. Without stages it
// comes back as it is.
Outcome run_stages(const Problem& problem, Outcome placed, const StageFlags& flags, const Budget& budget,
                   bool progress);

}  // namespace berth::app
