// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` says about a graph.
#pragma once

#include <string>

#include "cost/problem.h"

namespace berth::app {

// `problem` is that of a public problem file, else null.
std::string graph_info_text(const Graph& graph, const Problem* problem);
std::string graph_info_json(const Graph& graph, const Problem* problem);

}  // namespace berth::app
