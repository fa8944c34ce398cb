// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/fused_cost.h"

#include <vector>

namespace berth {

Picoseconds fused_duration(const Problem& problem, DeviceId device, std::span<const OpId> group) {
  const Graph& graph = problem.graph();
  std::vector<OpId> sorted(group.begin(), group.end());
  std::ranges::sort(sorted);
  const auto is_outside = [&](OpId op) { return !std::ranges::binary_search(sorted, op); };
  std::vector<TensorId> read;
  Picoseconds compute = 0;
  Bytes moved = 0;
  for (const OpId op : group) {
    compute += problem.compute_part(op, device);
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      if (is_outside(graph.producer(tensor))) read.push_back(tensor);
    }
    for (const TensorId tensor : graph.outputs(op)) {
      const bool leaves = graph.is_graph_output(tensor) || std::ranges::any_of(graph.consumers(tensor), is_outside);
      if (leaves) moved += graph.bytes(tensor);
    }
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  for (const TensorId tensor : read) moved += graph.bytes(tensor);
  return fused_duration(problem, device, compute, moved);
}

}  // namespace berth
