// SPDX-License-Identifier: Apache-2.0
// The native graph format, berth-graph/1: everything a Graph holds, one op per line (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/graph.h"

namespace berth {

inline constexpr std::string_view kNativeGraphFormat = "berth-graph/1";

// Reading the text gives an equal graph, and writing that gives equal text. Fails only when a name is not UTF-8, which
// JSON cannot hold.
Result<std::string> write_graph_json(const Graph& graph);

// The same to a file, ".json" or ".json.gz".
Status save_graph_file(const std::string& path, const Graph& graph);

}  // namespace berth
