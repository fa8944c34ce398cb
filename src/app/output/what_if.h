// SPDX-License-Identifier: Apache-2.0
// What a change of the machine (--set, --add-device) brings: the same on the machine as it is, beside it.
#pragma once

#include <string>

#include "files/json/json_writer.h"
#include "services/compare/compare.h"
#include "services/plan/place.h"

namespace berth::app {

// "what if: 1.52 s on k40x4 as it is, 1.20 s with the change: 21 % less"
std::string change_text(const Unchanged& before, const Outcome& after);
// One line a planner: as it is, with the change, and the difference.
std::string change_table(const Problem& before_problem, const Comparison& before, const Comparison& after);

// Member "as_it_is": machine, step_time_s, feasible, change (after / before - 1, null unless both fit).
void write_change(JsonWriter& json, const Unchanged& before, const Outcome& after);

}  // namespace berth::app
