// SPDX-License-Identifier: Apache-2.0
// Graphs from JSON that has been opened already, for those who must look into it before they know what it is.
#pragma once

#include <string_view>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/graph.h"

namespace berth {

// Reads the graph format that the document names. `file_name` gives a title where the document has none.
Result<Graph> read_graph_document(JsonDocument document, std::string_view file_name);

// "models/nmt.json.gz" -> "nmt": the file's name without folder and the endings of formats.
std::string title_from(std::string_view file_name);

}  // namespace berth
