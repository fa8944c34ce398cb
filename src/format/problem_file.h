// SPDX-License-Identifier: Apache-2.0
// Problem files, berth-problem/1 (docs/formats.md): everything the simulator knows, in plain numbers, so that anybody
// can check its results with a program of their own. Read back by import/problems/public_problem.h.
#pragma once

#include <string>

#include "base/result.h"
#include "problem/problem.h"

namespace berth {

// Times are whole picoseconds written in seconds: round(time * 1e12) gives them back exactly, below 2^51 ps (37
// minutes).
std::string write_problem_json(const Problem& problem);
Status save_problem_file(const std::string& path, const Problem& problem);

}  // namespace berth
