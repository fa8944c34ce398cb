// SPDX-License-Identifier: Apache-2.0
// Plans for programs: what `berth place --json` and `berth score --json` print, and what Python makes its values of.
// Everything in services/json is a format: docs/cli.md says what stands there, and names that are in use stay.
#pragma once

#include <optional>
#include <string>

#include "files/json/json_writer.h"
#include "services/plan/outcome.h"
#include "services/plan/place.h"
#include "sim/timeline.h"

namespace berth {

// Members of one outcome, into an open object. Without a plan that fits, what depends on its time is null; without any
// plan (Outcome::error) "error" says why. `single` is the best single device's outcome, when it is known.
void write_outcome(JsonWriter& json, const Problem& problem, const Outcome& outcome,
                   const std::optional<Outcome>& single);
// Member "best_single_device": what it does, and whether `best`, the best plan found, beats it. Nothing if it is not
// known.
void write_single(JsonWriter& json, const Outcome& best, const std::optional<Outcome>& single);
// Member "costs"; nothing without files of measured times.
void write_costs(JsonWriter& json, const CostsSummary& costs);
// Members "warnings" and "assumed_sizes".
void write_notes(JsonWriter& json, const InputNotes& notes);

// Member "as_it_is": the same on the machine as it is. "change" is after / before - 1, null unless both fit.
void write_change(JsonWriter& json, const Machine& machine, const Outcome& before, const Outcome& after);

// The whole document about one outcome.
std::string outcome_json(const LoadedProblem& loaded, const Outcome& outcome, const std::optional<Outcome>& single,
                         const std::optional<Unchanged>& before = std::nullopt,
                         const std::optional<Timeline>& timeline = std::nullopt);

}  // namespace berth
