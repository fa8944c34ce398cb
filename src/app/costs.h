// SPDX-License-Identifier: Apache-2.0
// What --costs stands for, and what is said about it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cost/measured_costs.h"
#include "io/json_writer.h"

namespace berth::app {

// What measured times a problem has.
struct CostsSummary {
  std::size_t ops = 0;  // that have a measured time on some device
  std::vector<CostsReport> files = {};
};

// The files of --costs, each FILE or FILE@DEVICE, against graph and machine.
Result<MatchedCosts> resolve_costs(std::span<const std::string> arguments, const Graph& graph, const Machine& machine);

// "measured times for 1,203 of 1,510 compute ops"; empty without files.
std::string costs_text(const Graph& graph, const CostsSummary& costs);
// Member "costs"; nothing without files.
void write_costs(JsonWriter& json, const CostsSummary& costs);

}  // namespace berth::app
