// SPDX-License-Identifier: Apache-2.0
// What GRAPH, --machine, --objective, --costs and the flags for models stand for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/costs.h"
#include "app/dims.h"
#include "app/options.h"
#include "base/result.h"
#include "cost/problem.h"
#include "model/lower.h"

namespace berth::app {

// "zoo:nmt-4,batch=128", a graph file, or a public problem, of which this is the graph alone.
struct ResolvedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Problem> problem;  // null unless it is a public problem
  std::optional<LowerReport> report;       // of a model's file
};
// Options are refused for all but model files.
Result<ResolvedGraph> resolve_graph(const std::string& text, const ImportOptions& options = {});

// Sizes and step of a model. Every --dim must have one size.
Result<ImportOptions> import_options(const ProblemFlags& flags);

// "12 saving and restoring, 3 initialising": nodes of the file that are no part of the step. Empty if all are.
std::string left_out_text(const LowerReport& report);

// What a model's file leaves open, said on stderr, since it makes every number too small; and what is no part of the
// step.
void warn_about(const std::string& path, const std::optional<LowerReport>& report);

// The name of a built-in machine, or a .toml file.
Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text);

// Graph, machine and objective together, priced, under the constraints. Machine and objective may be empty for a public
// problem, which has its own; a graph needs a machine, and its objective is `step` unless said otherwise. Every --dim
// must have one size.
struct ResolvedProblem {
  Problem problem;
  CostsSummary costs = {};
  std::vector<std::string> device_of = {};  // per op, where the file wants it; empty if it places nothing
};
Result<ResolvedProblem> resolve_problem(const ProblemFlags& flags);

// The same once per bucket. All have the same machine.
Result<std::vector<ResolvedProblem>> resolve_buckets(const ProblemFlags& flags, std::span<const Bucket> buckets);

}  // namespace berth::app
