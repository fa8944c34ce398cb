// SPDX-License-Identifier: Apache-2.0
// Nodes of an exported program, the subgraphs of some of them written out in place.
#pragma once

#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "import/pt2/pt2_arguments.h"
#include "import/pt2/pt2_scope.h"
#include "import/pt2/write_order.h"
#include "model/model.h"

namespace berth {

class Pt2NodeReader {
 public:
  explicit Pt2NodeReader(Model& model) : model_(model) {}

  // Adds a node of the graph with these names. Nodes come in the order in which they run.
  Status read(const JsonValue& json, Pt2Scope& scope);

 private:
  struct Parts;  // members of the node's JSON
  Status read_parts(const Parts& parts, Pt2Scope& scope);
  Status read_call(const Parts& parts, Pt2Scope& scope);
  Status write_out(const Parts& parts, std::size_t graph_index, Pt2Scope& scope);
  Result<std::vector<ValueIndex>> operands_of(const Parts& parts, std::size_t first, Pt2Scope& scope);
  Status bind_inputs(const JsonValue& graph, const std::vector<ValueIndex>& operands, Pt2Scope& inner);
  Status bind_outputs(const Parts& parts, const JsonValue& graph, Pt2Scope& inner, Pt2Scope& scope);

  Model& model_;
  Pt2WriteOrder order_;
  int depth_ = 0;  // of the subgraph being written out
};

}  // namespace berth
