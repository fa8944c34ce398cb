// SPDX-License-Identifier: Apache-2.0
// Problems as arrays, berth-arrays/1 (docs/formats.md): everything the simulator knows, and what a network may want to
// see, in one .npz file for NumPy. Arrays have the names that tables of berth.Problem have in Python: "ops.times".
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "problem/problem.h"

namespace berth {

// No plan is faster than `lower_bound`; one is as fast as `optimum`, where that is known.
struct KnownTimes {
  Picoseconds lower_bound = 0;
  std::optional<Picoseconds> optimum = {};
};

Result<std::string> write_problem_npz(const Problem& problem, const KnownTimes& known);

}  // namespace berth
