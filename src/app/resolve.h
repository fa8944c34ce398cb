// SPDX-License-Identifier: Apache-2.0
// What GRAPH, --machine, --objective and --costs stand for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/costs.h"
#include "app/options.h"
#include "base/result.h"
#include "cost/problem.h"

namespace berth::app {

// "zoo:nmt-4,batch=128", a graph file, or a public problem, of which this is the graph alone.
struct ResolvedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Problem> problem;  // null unless it is a public problem
};
Result<ResolvedGraph> resolve_graph(const std::string& text);

// The name of a built-in machine, or a .toml file.
Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text);

// Graph, machine and objective together, priced, under the constraints. Machine and objective may be empty for a public
// problem, which has its own; a graph needs a machine, and its objective is `step` unless said otherwise.
struct ResolvedProblem {
  Problem problem;
  CostsSummary costs = {};
  std::vector<std::string> device_of = {};  // per op, where the file wants it; empty if it places nothing
};
Result<ResolvedProblem> resolve_problem(const ProblemFlags& flags);

}  // namespace berth::app
