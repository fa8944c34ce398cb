// SPDX-License-Identifier: Apache-2.0
// What to plan for, as somebody asks: a graph, a machine, measured times, constraints, what if the machine were
// another. load_problem() makes the Problem that all planners see; everything behind it may assume valid data.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/model_file.h"
#include "model/lowered.h"
#include "problem/cost/measured_costs.h"
#include "problem/demands/demand.h"
#include "problem/problem.h"
#include "problem/what_if/machine_changes.h"
#include "services/caller.h"
#include "services/problem/input_notes.h"

namespace berth {

struct Bucket;  // services/problem/dims.h

struct ProblemRequest {
  // "zoo:nmt-4,batch=128", "exact:zoo-moe-rtx", a file of a graph or a model, or a public problem.
  std::string graph;
  std::string machine = {};                 // of the library, or a .toml file; empty: a public problem brings its own
  std::optional<Objective> objective = {};  // none: `step`, or as a public problem says
  std::vector<std::string> costs = {};      // files of measured times: FILE or FILE@DEVICE
  ImportOptions import = {};                // sizes and step of a model's file
  std::vector<Demand> demands = {};         // constraints
  MachineChanges changes = {};              // what if the machine were different
};

// The objective of that name; none for an empty one.
Result<std::optional<Objective>> find_objective(const std::string& name);

struct LoadedGraph {
  std::shared_ptr<const Graph> graph;      // of a public problem the graph alone
  std::shared_ptr<const Problem> problem;  // null unless it is a public problem
  std::optional<LowerReport> report;       // of a model's file
};
// Options are refused for all but model files.
Result<LoadedGraph> load_graph(const std::string& text, const ImportOptions& options = {});

// The name of a built-in machine, or a .toml file.
Result<std::shared_ptr<const Machine>> load_machine(const std::string& text);

// What measured times a problem has.
struct CostsSummary {
  std::size_t ops = 0;  // that have a measured time on some device
  std::vector<CostsReport> files = {};
};

// Graph, machine and objective together, priced, under the constraints.
struct LoadedProblem {
  Problem problem;
  CostsSummary costs = {};
  std::vector<std::string> device_of = {};  // per op, where the file wants it; empty if it places nothing
  InputNotes notes = {};
};
Result<LoadedProblem> load_problem(const ProblemRequest& request, Caller& caller);

// The same once per bucket, whose sizes take the place of the request's. All have the same machine.
Result<std::vector<LoadedProblem>> load_buckets(const ProblemRequest& request, std::span<const Bucket> buckets,
                                                Caller& caller);

// The problem without the changes of the machine, if there are any. Says nothing about the input a second time.
Result<std::optional<LoadedProblem>> load_unchanged(const ProblemRequest& request);

}  // namespace berth
