// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: problems by name and plans by planner.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "files/files.h"
#include "format/machine_toml.h"
#include "import/graph_file.h"
#include "machine/library.h"
#include "plan/planners.h"
#include "zoo/zoo.h"

namespace berth::bench {

inline std::string data_folder() {
  const char* folder = std::getenv("BERTH_DATA");
  return folder != nullptr ? folder : BERTH_SOURCE_DIR "/../shared/data";
}

template <typename T>
T value_or_exit(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(2);
  }
  return std::move(result).value();
}

// "zoo:..." or a file below the data folder.
inline Graph load(const std::string& name) {
  if (name.starts_with("zoo:")) return value_or_exit(build_zoo_model(name.substr(4)));
  return value_or_exit(load_graph_file(data_folder() + "/" + name));
}

// A built-in one, or a file.
inline Machine machine_named(const std::string& name) {
  if (!name.ends_with(".toml")) return value_or_exit(builtin_machine(name));
  return value_or_exit(read_machine_toml(value_or_exit(read_file(name)), name));
}

inline Problem problem(const std::string& graph, const std::string& machine) {
  return value_or_exit(
      make_problem(std::make_shared<Graph>(load(graph)), std::make_shared<Machine>(machine_named(machine))));
}

inline Plan plan(const Problem& problem, std::string_view planner) {
  for (const PlannerInfo& info : classical_planners()) {
    if (info.name != planner) continue;
    Search search(problem, {});
    return value_or_exit(info.make()->plan(search));
  }
  std::fprintf(stderr, "no planner named '%s'\n", std::string(planner).c_str());
  std::exit(2);
}

// A priority for every op: the longest way from its start to the end of the step, without transfers.
inline std::vector<double> ways_to_the_end(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  std::vector<double> way(graph.num_ops());
  const auto order = graph.topological_order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    double longest = 0.0;
    for (const TensorId tensor : graph.outputs(*it)) {
      for (const OpId consumer : graph.consumers(tensor)) longest = std::max(longest, way[index(consumer)]);
    }
    way[index(*it)] = longest + static_cast<double>(problem.duration(*it, plan.device(*it)));
  }
  return way;
}

}  // namespace berth::bench
