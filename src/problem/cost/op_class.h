// SPDX-License-Identifier: Apache-2.0
// The cost class of an op of a graph: from the name of its type, whatever framework the name comes from (the op table,
// ops/op_table.h), and for a few types from the shapes of its tensors.
#pragma once

#include <string_view>

#include "base/ids.h"
#include "graph/graph.h"
#include "ops/cost_class.h"

namespace berth {

// Class by name alone. An unknown type counts as element by element.
CostClass class_of_type(std::string_view type);
bool is_known_type(std::string_view type);

// Class of an op: by name, then by shape where the name is not enough.
CostClass class_of(const Graph& graph, OpId op);

}  // namespace berth
