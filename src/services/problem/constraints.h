// SPDX-License-Identifier: Apache-2.0
// Constraints as a request carries them: texts and files become demands, demands constrain a problem.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/demands/demand.h"
#include "problem/problem.h"
#include "services/problem/input_notes.h"

namespace berth {

// As somebody wrote them; docs/constraints.md describes the forms.
struct ConstraintTexts {
  struct Given {
    const DemandForm* form;
    std::string text;
  };
  std::vector<Given> given = {};                     // pin a=gpu0 and the like
  std::vector<std::string> files = {}, tables = {};  // TOML files of them; tables of op types that devices cannot run
};

// What the texts and the files they name demand. Reads the files.
Result<std::vector<Demand>> read_demands(const ConstraintTexts& texts);

// The problem under these demands. An error names those that clash; that no plan can fit in memory under them is only
// a warning, since a plan that does not fit is still shown.
Result<Problem> constrained(Problem problem, std::span<const Demand> demands, InputNotes& notes, Caller& caller);

// An error that names the first demand that the plan does not meet.
Status check_demands(std::span<const Demand> demands, const Problem& problem, const Plan& plan);

}  // namespace berth
