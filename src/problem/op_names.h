// SPDX-License-Identifier: Apache-2.0
// OpNames: finds ops by what other programs call them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace berth {

// Points into the graph, which must outlive it.
class OpNames {
 public:
  explicit OpNames(const Graph& graph);

  // The op of that name, else the one compute op of that label; kNoOp if there is none.
  [[nodiscard]] OpId find(std::string_view name) const;

  // The compute ops that PyTorch makes by this call, in the order of the graph: those of the type "aten.mm" with any
  // overload for "aten::mm".
  [[nodiscard]] std::span<const OpId> made_by(std::string_view call) const;

 private:
  std::unordered_map<std::string_view, OpId> by_name_, by_label_;
  std::unordered_map<std::string, std::vector<OpId>> by_call_;
};

}  // namespace berth
