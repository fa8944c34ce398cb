// SPDX-License-Identifier: Apache-2.0
#include "app/named_op.h"

#include "cost/demands/op_index.h"

namespace berth::app {

Result<OpId> named_op(const Graph& graph, const std::string& text) {
  BERTH_TRY(const std::vector<OpId> ops, OpIndex(graph).select(text));
  if (ops.size() == 1) return ops.front();
  return bad_input("--op '{}' stands for {} ops, among them '{}' and '{}'; name one", text, ops.size(),
                   graph.name(ops[0]), graph.name(ops[1]));
}

}  // namespace berth::app
