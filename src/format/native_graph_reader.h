// SPDX-License-Identifier: Apache-2.0
// Reading the native graph format (format/native_graph.h, which writes it). Whoever has a file of any format asks
// import/graph_file.h.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/graph.h"

namespace berth {

// Most device models with measured times in one file: each costs a number per op.
inline constexpr std::size_t kMaxMeasuredModels = 64;

// Takes the document, whose format has been checked, and frees its text before the graph is built.
Result<Graph> read_native_graph(JsonDocument document, std::string default_title);

}  // namespace berth
