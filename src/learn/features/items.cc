// SPDX-License-Identifier: Apache-2.0
#include "learn/features/items.h"

#include <algorithm>
#include <bit>

#include "machine/device_set.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

// Items with a choice, or all, by the place of their first op in topological order.
std::vector<std::uint32_t> items_in_order(const Problem& problem, const Grouping& grouping, Decided which) {
  std::vector<std::uint32_t> decided;
  std::vector<bool> seen(grouping.size());
  for (const OpId op : problem.graph().topological_order()) {
    const std::uint32_t item = grouping.of(problem, op);
    if (seen[item]) continue;
    seen[item] = true;
    if (which == Decided::kAll || std::popcount(grouping.allowed[item]) > 1) decided.push_back(item);
  }
  return decided;
}

std::vector<Items::Edge> edges_between(const Problem& problem, const Items& items) {
  const Graph& graph = problem.graph();
  std::vector<Items::Edge> edges;
  const auto place = [&](OpId op) { return items.position[items.grouping.of(problem, op)]; };
  for (const TensorId tensor : graph.tensors()) {
    const std::int64_t from = place(graph.producer(tensor));
    if (from < 0) continue;
    const std::size_t begin = edges.size();
    for (const OpId consumer : graph.consumers(tensor)) {
      const std::int64_t to = place(consumer);
      if (to < 0 || to == from) continue;
      const bool seen = std::any_of(edges.begin() + static_cast<std::ptrdiff_t>(begin), edges.end(),
                                    [&](const Items::Edge& edge) { return edge.to == to; });
      if (!seen)
        edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), graph.bytes(tensor)});
    }
  }
  return edges;
}

void merge_equal(std::vector<Items::Edge>& edges) {
  const auto key = [](const Items::Edge& edge) { return std::pair(edge.from, edge.to); };
  std::ranges::sort(edges, {}, key);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && key(edges[kept - 1]) == key(edges[i])) {
      edges[kept - 1].bytes += edges[i].bytes;
    } else {
      edges[kept++] = edges[i];
    }
  }
  edges.resize(kept);
}

}  // namespace

Items make_items(const Problem& problem, Grouping clusters, Decided decided) {
  Items items;
  items.grouping = std::move(clusters);
  items.decided = items_in_order(problem, items.grouping, decided);
  items.position.assign(items.grouping.size(), -1);
  for (std::size_t i = 0; i < items.decided.size(); ++i)
    items.position[items.decided[i]] = static_cast<std::int64_t>(i);
  items.edges = edges_between(problem, items);
  merge_equal(items.edges);
  return items;
}

std::vector<DeviceId> devices_to_use(const Problem& problem, const Items& items) {
  if (problem.constraints().max_devices) return worker_devices(problem);
  DeviceSet some = 0;
  for (const std::uint32_t item : items.decided) some |= items.grouping.allowed[item];
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.machine().device_ids()) {
    if ((some & device_bit(device)) != 0) devices.push_back(device);
  }
  return devices;
}

std::vector<std::vector<OpId>> ops_of_items(const Problem& problem, const Items& items) {
  std::vector<std::vector<OpId>> ops(items.size());
  for (const OpId op : problem.graph().topological_order()) {
    const std::int64_t place = items.position[items.grouping.of(problem, op)];
    if (place >= 0) ops[static_cast<std::size_t>(place)].push_back(op);
  }
  return ops;
}

Plan plan_of_items(const Problem& problem, const Items& items, std::span<const DeviceId> device_of_item) {
  std::vector<DeviceId> wanted(problem.num_units());
  for (std::uint32_t unit = 0; unit < wanted.size(); ++unit) {
    const std::uint32_t item = items.grouping.of_unit[unit];
    const std::int64_t place = items.position[item];
    const DeviceId device =
        place >= 0 ? device_of_item[static_cast<std::size_t>(place)] : lowest_device(items.grouping.allowed[item]);
    wanted[unit] = allowed_or_fallback(problem, unit, device);
  }
  return plan_from_units(problem, wanted);
}

}  // namespace berth::learn
