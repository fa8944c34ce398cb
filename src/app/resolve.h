// SPDX-License-Identifier: Apache-2.0
// What GRAPH and --machine stand for.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cost/problem.h"

namespace berth::app {

// "zoo:nmt-4,batch=128" or a graph file.
Result<std::shared_ptr<const Graph>> resolve_graph(const std::string& text);

// The name of a built-in machine, or a .toml file.
Result<std::shared_ptr<const Machine>> resolve_machine(const std::string& text);

// Both, priced.
Result<Problem> resolve_problem(const std::string& graph, const std::string& machine);

}  // namespace berth::app
