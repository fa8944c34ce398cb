// SPDX-License-Identifier: Apache-2.0
#include "graph/structure_hash.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hasher.h"

namespace berth {

std::string structure_hash_of(const Graph& graph) {
  Hasher hasher;
  hasher.add(graph.num_ops());
  for (const OpId op : graph.ops()) {
    hasher.add(graph.name(op));
    hasher.add(graph.type(op));
    hasher.add(static_cast<std::uint64_t>(graph.role(op)));
    hasher.add(graph.inputs(op).size());
    for (const TensorId tensor : graph.inputs(op)) hasher.add(index(tensor));
    hasher.add(graph.control_inputs(op).size());
    for (const OpId before : graph.control_inputs(op)) hasher.add(index(before));
    hasher.add(graph.outputs(op).size());
    for (const TensorId tensor : graph.outputs(op)) {
      hasher.add(static_cast<std::uint64_t>(graph.dtype(tensor)));
      hasher.add(graph.shape(tensor).size());
      for (const std::int64_t dim : graph.shape(tensor)) hasher.add(static_cast<std::uint64_t>(dim));
    }
  }
  return hasher.hex();
}

std::optional<std::string> difference_of_ops(const Graph& a, const Graph& b) {
  if (a.num_ops() != b.num_ops()) return fmt::format("one has {} ops, the other {}", a.num_ops(), b.num_ops());
  for (const OpId op : a.ops()) {
    if (a.name(op) != b.name(op)) return fmt::format("op {} is '{}' or '{}'", index(op), a.name(op), b.name(op));
    if (a.type(op) != b.type(op)) {
      return fmt::format("op '{}' is of type '{}' or '{}'", a.name(op), a.type(op), b.type(op));
    }
    const bool same_edges = std::ranges::equal(a.inputs(op), b.inputs(op)) &&
                            std::ranges::equal(a.control_inputs(op), b.control_inputs(op)) &&
                            a.outputs(op).size() == b.outputs(op).size();
    if (!same_edges) return fmt::format("op '{}' has other inputs or outputs", a.name(op));
  }
  return std::nullopt;
}

}  // namespace berth
