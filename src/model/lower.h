// SPDX-License-Identifier: Apache-2.0
// lower(): a Graph from a Model, the same way for every framework.
//
// - Symbolic dimensions get the sizes the user gives; those left are taken as 1 and reported.
// - What depends on constants alone is folded away: it becomes a constant (parameters keep their role through casts,
//   transposes and the like), resident and without cost.
// - Nodes that only look at their input in another way become views; identities too.
// - Flops by the type and the shapes (model/flops.h); bytes are those of the distinct inputs and outputs unless the
//   type is known to read less.
// - A node that works on shapes alone (small whole numbers) is kept, since some runtime has to run it, and costs next
// to
//   nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "model/model.h"

namespace berth {

struct LowerOptions {
  std::map<std::string, std::int64_t> dims;  // size of every symbolic dimension the user names
};

// What is not as the file says it, for people.
struct LowerReport {
  std::map<std::string, std::size_t> assumed_dims;  // symbols without a size, taken as 1, and how many values have them
  std::vector<std::string> unknown_shapes;          // values whose sizes are not known at all: they count as nothing
  std::map<std::string, std::size_t> unknown_types;
  // Nodes with subgraphs of which the file does not say which branch runs (the larger one counts), or how often they
  // turn (once counts).
  std::vector<std::string> open_branches, open_loops;
};

struct Lowered {
  Graph graph;
  LowerReport report;
  std::vector<std::string> device_of;  // per op of the graph, as the file says it; empty if the file places nothing
};

Result<Lowered> lower(Model model, const LowerOptions& options = {});

}  // namespace berth
