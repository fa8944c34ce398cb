// SPDX-License-Identifier: Apache-2.0
// Graphs for programs: all that is worked out about one, and one that was written.
#pragma once

#include <string>

#include "services/explain/graph_facts.h"

namespace berth {

std::string graph_json(const GraphAnswer& answer);
std::string written_graph_json(const std::string& path, const Graph& graph);

}  // namespace berth
