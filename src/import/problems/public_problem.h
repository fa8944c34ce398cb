// SPDX-License-Identifier: Apache-2.0
// Public problem files, recognised by content: `msr` (JSON), `stg`, `heft` (three CSV matrices) and `pipedream`
// (profiles). They bring their own times, and most bring machine and objective. docs/formats.md says what becomes of
// each. All errors begin with the file's name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "problem/problem.h"

namespace berth {

// What the user asks for; whatever is left out is as the file says.
struct ProblemOverrides {
  std::shared_ptr<const Machine> machine = nullptr;  // refused for files that bring a machine
  std::optional<Objective> objective = std::nullopt;
};

// A public problem, ready to plan.
Result<Problem> load_public_problem(const std::string& path, const ProblemOverrides& request = {});
// The same from text in memory; not for HEFT problems, which are three files.
Result<Problem> parse_public_problem(std::string text, const std::string& file_name,
                                     const ProblemOverrides& request = {});

// What a file holds: a graph, which a machine has yet to price, or a public problem.
using GraphOrProblem = std::variant<std::shared_ptr<const Graph>, std::shared_ptr<const Problem>>;
Result<GraphOrProblem> load_graph_or_problem(const std::string& path, const ProblemOverrides& request = {});

}  // namespace berth
