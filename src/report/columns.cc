// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

#include <algorithm>

namespace berth::report {
namespace {

std::vector<std::uint32_t> earliest_columns(const Graph& graph) {
  std::vector<std::uint32_t> column(graph.num_ops(), 0);
  for (const OpId op : graph.topological_order()) {
    std::uint32_t& at = column[index(op)];
    for (const TensorId input : graph.distinct_inputs(op)) at = std::max(at, column[index(graph.producer(input))] + 1);
    for (const OpId before : graph.control_inputs(op)) at = std::max(at, column[index(before)] + 1);
  }
  return column;
}

void move_sources_to_consumers(const Graph& graph, std::vector<std::uint32_t>& column) {
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kCompute || column[index(op)] > 0) continue;
    std::uint32_t first = UINT32_MAX;
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId user : graph.consumers(output)) first = std::min(first, column[index(user)]);
    }
    for (const OpId follower : graph.control_outputs(op)) first = std::min(first, column[index(follower)]);
    if (first != UINT32_MAX && first > 0) column[index(op)] = first - 1;
  }
}

}  // namespace

std::vector<std::uint32_t> find_columns(const Graph& graph) {
  std::vector<std::uint32_t> column = earliest_columns(graph);
  move_sources_to_consumers(graph, column);
  return column;
}

}  // namespace berth::report
