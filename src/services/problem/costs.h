// SPDX-License-Identifier: Apache-2.0
// Files of measured times, as a request names them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/cost/measured_costs.h"

namespace berth {

// What measured times a problem has.
struct CostsSummary {
  std::size_t ops = 0;  // that have a measured time on some device
  std::vector<CostsReport> files = {};
};

// The files, each FILE or FILE@DEVICE, against graph and machine.
Result<MatchedCosts> read_costs(std::span<const std::string> arguments, const Graph& graph, const Machine& machine);

}  // namespace berth
