// SPDX-License-Identifier: Apache-2.0
// The exact set: small real problems whose optima are proved (docs/exact-set.md), which come with the program. A graph
// argument "exact:NAME" is one of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "import/problems/public_problem.h"
#include "problem/problem.h"

namespace berth {

// A file that the build has put into the program.
struct EmbeddedFile {
  std::string_view name, bytes;
};
std::span<const EmbeddedFile> exact_set_files();  // problems/exact, sorted by name

struct ExactProblem {
  std::string name;
  Picoseconds optimum = 0;
};
const std::vector<ExactProblem>& exact_problems();  // sorted by name

// What stands behind "exact:"; none for any other graph argument.
std::optional<std::string_view> exact_problem_name(std::string_view graph);
// An error names the nearest one, or what this build lacks.
Result<Problem> load_exact_problem(std::string_view name, const ProblemOverrides& request);

}  // namespace berth
