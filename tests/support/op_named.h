// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace berth {

// kNoOp if there is none.
inline OpId op_named(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return op;
  }
  return kNoOp;
}

}  // namespace berth
