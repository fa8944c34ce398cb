// SPDX-License-Identifier: Apache-2.0
// What the commands print for programs.
#pragma once

#include <functional>
#include <optional>

#include "files/json/json_writer.h"
#include "problem/problem.h"
#include "services/compare/compare.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"
#include "sim/timeline.h"

namespace berth::app {

// Members of one outcome, into an open object. Without a plan that fits, what depends on its time is null; without any
// plan (Outcome::error) "error" says why. `single` is the best single device's outcome, when it is known.
void write_outcome(JsonWriter& json, const Problem& problem, const Outcome& outcome,
                   const std::optional<Outcome>& single);

// Member "best_single_device": what it does, and whether `best`, the best plan found, beats it. Nothing if it is not
// known.
void write_single(JsonWriter& json, const Outcome& best, const std::optional<Outcome>& single);

// Members "events" and "transfers".
void write_timeline(JsonWriter& json, const Problem& problem, const Timeline& timeline);

// A whole document about one outcome; `more`, if it is there, adds members at its end.
using MoreMembers = std::function<void(JsonWriter&)>;
std::string outcome_json(const LoadedProblem& loaded, const Outcome& outcome, const std::optional<Outcome>& single,
                         const std::optional<Timeline>& timeline = std::nullopt, const MoreMembers& more = nullptr);
std::string comparison_json(const LoadedProblem& loaded, const Comparison& comparison,
                            const MoreMembers& more = nullptr);

}  // namespace berth::app
