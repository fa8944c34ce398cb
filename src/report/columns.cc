// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

#include <algorithm>
#include <utility>

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

// Per column: the tensors that are made before it by an op and used in it or after it. Weights do not count, since they
// could come from anywhere.
std::vector<std::int64_t> tensors_in_flight(const Graph& graph, std::span<const OpId> ops,
                                            const std::vector<std::uint32_t>& column, std::size_t columns) {
  std::vector<std::int64_t> change(columns + 1, 0);
  for (const OpId op : ops) {
    if (is_resident(graph.role(op))) continue;
    for (const TensorId tensor : graph.outputs(op)) {
      std::uint32_t last = column[index(op)];
      for (const OpId user : graph.consumers(tensor)) last = std::max(last, column[index(user)]);
      ++change[column[index(op)] + 1];
      --change[last + 1];
    }
  }
  for (std::size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
  return change;
}

// Per column: how many of the ops stand before it.
std::vector<std::size_t> ops_before(std::span<const OpId> ops, const std::vector<std::uint32_t>& column,
                                    std::size_t columns) {
  std::vector<std::size_t> before(columns + 1, 0);
  for (const OpId op : ops) ++before[column[index(op)] + 1];
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  return before;
}

}  // namespace

std::vector<std::uint32_t> find_columns(const Graph& graph) {
  std::vector<std::uint32_t> column = earliest_columns(graph);
  move_sources_to_consumers(graph, column);
  return column;
}

std::vector<std::uint32_t> find_stretches(const Graph& graph, std::span<const OpId> ops,
                                          const std::vector<std::uint32_t>& column, std::size_t most) {
  const std::size_t pieces = std::min(most, ops.size() / kLeastInStretch);
  if (pieces < 2) return {};
  const std::size_t columns = *std::ranges::max_element(column) + std::size_t{1};
  const auto in_flight = tensors_in_flight(graph, ops, column, columns);
  const auto before = ops_before(ops, column, columns);
  std::vector<std::uint32_t> cuts;
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    // A third of a piece to either side of where an equal share would end.
    const auto share = [&](std::size_t thirds) { return ops.size() * thirds / (3 * pieces); };
    const std::size_t ideal = share(3 * piece);
    std::uint32_t best = 0;
    for (std::uint32_t at = cuts.empty() ? 1 : cuts.back() + 1; at < columns; ++at) {
      if (before[at] < share(3 * piece - 1) || before[at] > share(3 * piece + 1)) continue;
      const auto badness = [&](std::uint32_t cut) {
        const std::size_t off = before[cut] > ideal ? before[cut] - ideal : ideal - before[cut];
        return std::pair(in_flight[cut], off);
      };
      if (best == 0 || badness(at) < badness(best)) best = at;
    }
    if (best != 0) cuts.push_back(best);
  }
  return cuts;
}

}  // namespace berth::report
