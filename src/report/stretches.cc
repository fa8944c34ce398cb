// SPDX-License-Identifier: Apache-2.0
#include "report/stretches.h"

#include <algorithm>

namespace berth::report {
namespace {

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
