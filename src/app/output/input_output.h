// SPDX-License-Identifier: Apache-2.0
// What the commands say about their input: measured times, sizes that had to be assumed, warnings.
#pragma once

#include <string>

#include "files/json/json_writer.h"
#include "graph/graph.h"
#include "services/problem/costs.h"
#include "services/problem/input_notes.h"

namespace berth::app {

// "measured times for 1,203 of 1,510 compute ops"; empty without files.
std::string costs_text(const Graph& graph, const CostsSummary& costs);
// Member "costs"; nothing without files.
void write_costs(JsonWriter& json, const CostsSummary& costs);

// Members "warnings" and "assumed_sizes".
void write_notes(JsonWriter& json, const InputNotes& notes);

}  // namespace berth::app
