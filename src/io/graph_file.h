// SPDX-License-Identifier: Apache-2.0
// Graph files: reads what it recognises (berth-graph/1 and aten-graph/1, plain or gzip; models of frameworks by their
// endings, io/model_file.h), writes berth-graph/1. The
// formats are described in docs/formats.md. All errors begin with the file's name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/graph.h"

namespace berth {

Result<Graph> load_graph_file(const std::string& path);

// The same from text in memory; `file_name` is for errors, and for a title where the text has none.
Result<Graph> parse_graph(std::string text, std::string_view file_name);

// Writes berth-graph/1; reading it back gives an equal graph. ".json" or ".json.gz".
Status save_graph_file(const std::string& path, const Graph& graph);

}  // namespace berth
