// SPDX-License-Identifier: Apache-2.0
// What a change of the machine (--set, --add-device) brings: the same on the machine as it is, beside it.
#pragma once

#include <optional>
#include <string>

#include "app/compare_planners.h"
#include "app/outcome.h"
#include "app/resolve.h"
#include "io/json_writer.h"

namespace berth::app {

// The problem without the changes, if there are any. Says nothing about the model's file a second time.
Result<std::optional<ResolvedProblem>> as_it_is(const ProblemFlags& flags);

// "what if: 1.52 s on k40x4 as it is, 1.20 s with the change: 21 % less"
std::string change_text(const Problem& before_problem, const Outcome& before, const Outcome& after);
// One line a planner: as it is, with the change, and the difference.
std::string change_table(const Problem& before_problem, const Comparison& before, const Comparison& after);

// Member "as_it_is": machine, step_time_s, feasible, change (after / before - 1, null unless both fit).
void write_change(JsonWriter& json, const Problem& before_problem, const Outcome& before, const Outcome& after);

}  // namespace berth::app
