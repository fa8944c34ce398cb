// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` says about a graph.
#pragma once

#include <string>

#include "graph/graph.h"

namespace berth::app {

std::string graph_info_text(const Graph& graph);
std::string graph_info_json(const Graph& graph);

}  // namespace berth::app
