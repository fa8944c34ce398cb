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
#include "app/input_notes.h"
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

// The name of a built-in machine, or a .toml file.
Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text);

// Graph, machine and objective together, priced, under the constraints. Machine and objective may be empty for a public
// problem, which has its own; a graph needs a machine, and its objective is `step` unless said otherwise. Every --dim
// must have one size.
struct ResolvedProblem {
  Problem problem;
  CostsSummary costs = {};
  std::vector<std::string> device_of = {};  // per op, where the file wants it; empty if it places nothing
  InputNotes notes = {};
};
Result<ResolvedProblem> resolve_problem(const ProblemFlags& flags);

// The same once per bucket. All have the same machine.
Result<std::vector<ResolvedProblem>> resolve_buckets(const ProblemFlags& flags, std::span<const Bucket> buckets);

}  // namespace berth::app
