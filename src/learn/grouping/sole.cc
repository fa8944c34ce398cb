// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/sole.h"

#include <ranges>

#include "base/sole_number.h"
#include "plan/coarsen/group_joiner.h"

namespace berth::learn {

Grouping join_sole_consumers(const Problem& problem, const Grouping& finer, const GroupLimits& limits,
                             bool gradients_follow) {
  if (!gradients_follow) return join_only_consumers(problem, finer, limits);
  const Graph& graph = problem.graph();
  std::vector<OpId> counted;
  for (const OpId op : graph.topological_order() | std::views::reverse) {
    if (graph.forward_of(op) == kNoOp && graph.updated_parameter(op) == kNoOp) counted.push_back(op);
  }
  GroupJoiner joiner(problem, finer, limits);
  for (bool changed = true; changed;) {
    changed = false;
    for (const OpId op : counted) {
      const std::uint32_t own = joiner.root(finer.of(problem, op));
      SoleNumber only;
      for (const TensorId tensor : graph.outputs(op)) {
        for (const OpId consumer : graph.consumers(tensor)) {
          if (graph.forward_of(consumer) != kNoOp || graph.updated_parameter(consumer) != kNoOp) continue;
          const std::uint32_t group = joiner.root(finer.of(problem, consumer));
          if (group != own) only.see(group);
        }
      }
      if (only.exists()) changed |= joiner.join(own, only.number());
    }
  }
  return joiner.finish();
}

}  // namespace berth::learn
