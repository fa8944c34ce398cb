// SPDX-License-Identifier: Apache-2.0
// The second half of GraphBuilder: checks what was collected and derives the tables of the immutable Graph.
#pragma once

#include "base/disjoint_sets.h"
#include "graph/builder.h"

namespace berth {

class GraphFreezer {
 public:
  explicit GraphFreezer(GraphBuilder& builder) : builder_(builder), graph_(builder.graph_) {}
  Status freeze();  // on success builder.graph_ is complete

 private:
  Status check_names() const;
  Status resolve_inputs();
  Status check_roles();
  Status resolve_updates();
  [[nodiscard]] DisjointSets colocated_sets() const;
  void colocate();
  void index_consumers();
  void order_updates_after_readers();
  Status index_control_edges();
  Status sort_topologically();
  Error cycle_error(const std::vector<std::uint32_t>& blocked_by) const;
  Status resolve_outputs();
  void complete_costs();

  GraphBuilder& builder_;
  Graph& graph_;
};

}  // namespace berth
