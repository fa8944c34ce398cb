// SPDX-License-Identifier: Apache-2.0
// The whole problem as a file, whole or not at all.
#pragma once

#include <string>

#include "base/result.h"
#include "format/problem_arrays.h"
#include "problem/problem.h"

namespace berth {

// As arrays if the path ends in ".npz", else as JSON.
Status save_problem(const std::string& path, const Problem& problem);
Status save_problem_arrays(const std::string& path, const Problem& problem, const KnownTimes& known);

}  // namespace berth
