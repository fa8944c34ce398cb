// SPDX-License-Identifier: Apache-2.0
// Constraints on the command line: one flag per kind of demand, and files of them. docs/constraints.md describes both.
#pragma once

#include <string>
#include <vector>

#include "app/input_notes.h"
#include "base/result.h"
#include "cost/demands/demand.h"
#include "cost/problem.h"

namespace CLI {
class App;
}

namespace berth::app {

struct ConstraintFlags {
  struct Given {
    const DemandForm* form;
    std::string text;
  };
  std::vector<Given> given = {};                     // --pin a=gpu0 and the like
  std::vector<std::string> files = {}, tables = {};  // --constraints, --unsupported
};
void add_constraint_flags(CLI::App& command, ConstraintFlags& flags);

// What the flags and the files they name demand. Reads the files.
Result<std::vector<Demand>> demands_of(const ConstraintFlags& flags);

// The problem under these demands. An error names those that clash; that no plan can fit in memory under them is only
// a warning, since a plan that does not fit is still shown.
Result<Problem> constrained(Problem problem, const std::vector<Demand>& demands, InputNotes& notes);

// An error that names the first demand of the flags that the plan does not meet.
Status check_demands(const ConstraintFlags& flags, const Problem& problem, const Plan& plan);

}  // namespace berth::app
