// SPDX-License-Identifier: Apache-2.0
// What the commands print for programs about plans.
#pragma once

#include <optional>
#include <string>

#include "files/json/json_writer.h"
#include "services/compare/compare.h"
#include "services/plan/outcome.h"
#include "services/plan/place.h"
#include "sim/timeline.h"

namespace berth::app {

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

// Whole documents about one outcome and about several.
std::string outcome_json(const LoadedProblem& loaded, const Outcome& outcome, const std::optional<Outcome>& single,
                         const std::optional<Unchanged>& before = std::nullopt,
                         const std::optional<Timeline>& timeline = std::nullopt);
std::string comparison_json(const CompareAnswer& answer);

}  // namespace berth::app
