// SPDX-License-Identifier: Apache-2.0
// "given": the placement that the file of a model carries, judged like a planner's.
#pragma once

#include "app/outcome.h"
#include "app/resolve.h"

namespace berth::app {

inline constexpr const char* kGiven = "given";

// `resolved.device_of` must not be empty. An error if it does not suit the machine.
Result<Outcome> score_given(const ResolvedProblem& resolved);

// The same for a row of a comparison, where an error is an outcome without a plan; nothing if the file carries none.
std::optional<Outcome> given_row(const ResolvedProblem& resolved);

}  // namespace berth::app
