// SPDX-License-Identifier: Apache-2.0
// Graph files of every kind: berth-graph/1 (format/native_graph.h) and aten-graph/1 (import/aten), plain or gzip, and
// models of frameworks (import/model_file.h). docs/formats.md describes them. All errors begin with the file's name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/graph.h"

namespace berth {

Result<Graph> load_graph_file(const std::string& path);

// The same from text in memory; `file_name` is for errors, and for a title where the text has none.
Result<Graph> parse_graph(std::string text, std::string_view file_name);

}  // namespace berth
