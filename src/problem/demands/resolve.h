// SPDX-License-Identifier: Apache-2.0
// Demands with their names looked up, and the Constraints they add up to. All of them hold at once: what several say
// about one op is what all of them allow, reserved memory adds up, and of limits the smallest counts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem/demands/demand.h"
#include "problem/problem.h"

namespace berth {

struct ResolvedDemand {
  Demand::Kind kind = Demand::Kind::kPin;
  std::string source;
  std::vector<OpId> ops = {};                    // pin, forbid, unsupported
  std::vector<std::vector<OpId>> together = {};  // colocate, keep-together; of resident weights: with their readers
  DeviceSet devices = 0;                         // where the ops may be; of reserve: where
  std::int64_t amount = 0;
};

// Ops that demands may name in all; each takes memory.
inline constexpr std::size_t kMostNamedOps = 50'000'000;

// One for each demand, but none for an unsupported type or device that does not occur. An error begins with the source
// and says which op, type, module or device there is not.
Result<std::vector<ResolvedDemand>> resolve_demands(const Graph& graph, const Machine& machine,
                                                    std::span<const Demand> demands);

// `own` and what these demand besides.
Constraints constraints_of(const Problem& problem, Constraints own, std::span<const ResolvedDemand* const> demands);

// The problem under its own constraints and these; an error that names the demands that clash (demands/clash.h).
Result<Problem> constrain(const Problem& problem, std::span<const ResolvedDemand> demands);

}  // namespace berth
