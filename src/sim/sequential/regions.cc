// SPDX-License-Identifier: Apache-2.0
#include "sim/sequential/regions.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "base/check.h"
#include "base/disjoint_sets.h"
#include "base/strong_components.h"

namespace berth {
namespace {

using LowestFirst = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

}  // namespace

RegionFinder::RegionFinder(const Graph& graph, const FlatGraph& flat) : flat_(flat) {
  producer_.assign(flat.num_tensors(), 0);
  for (std::uint32_t node = 0; node < flat.num_nodes(); ++node) {
    for (const std::uint32_t tensor : flat.outputs_of(node)) producer_[tensor] = node;
  }
  find_order(graph);
  find_edges();
}

// Lowest id first among the free, as in Graph::topological_order(), but of nodes. Kinds are found on the way.
void RegionFinder::find_order(const Graph& graph) {
  std::vector<std::uint32_t> waits(flat_.num_waits.begin(), flat_.num_waits.end());
  kind_.assign(flat_.num_nodes(), Kind::kRuns);
  LowestFirst free;
  for (std::uint32_t node = 0; node < flat_.num_nodes(); ++node) {
    if (flat_.storage(node) == FlatGraph::Storage::kAbsent) kind_[node] = Kind::kAbsent;
  }
  for (const std::uint32_t node : flat_.sources) free.push(node);
  const auto done = [&](std::uint32_t after) {
    if (--waits[after] == 0) free.push(after);
  };
  while (!free.empty()) {
    const std::uint32_t node = free.top();
    free.pop();
    order_.push_back(node);
    const FlatGraph::Storage storage = flat_.storage(node);
    const auto inputs = flat_.inputs_of(node);
    const bool views_constants =
        storage == FlatGraph::Storage::kAlias && flat_.num_waits[node] == inputs.size() &&  // no control edge
        std::ranges::all_of(inputs, [&](std::uint32_t tensor) { return is_constant(producer_[tensor]); });
    if (storage == FlatGraph::Storage::kResident || views_constants) {
      kind_[node] = Kind::kConstant;
    } else if (graph.role(OpId{node}) == Role::kInput) {
      kind_[node] = Kind::kInput;
    }
    for (const std::uint32_t tensor : flat_.outputs_of(node)) {
      for (const std::uint32_t after : flat_.consumers_of(tensor)) done(after);
    }
    for (const std::uint32_t after : flat_.control_of(node)) done(after);
  }
}

void RegionFinder::find_edges() {
  std::vector<std::vector<std::uint32_t>> signals(flat_.num_nodes());  // control predecessors
  for (const std::uint32_t node : order_) {
    for (const std::uint32_t after : flat_.control_of(node)) signals[after].push_back(node);
  }
  for (const std::uint32_t node : order_) {
    if (is_given(node)) continue;
    for (const std::uint32_t tensor : flat_.inputs_of(node)) {
      if (!is_given(producer_[tensor])) edges_.push_back({producer_[tensor], node});
    }
    for (const std::uint32_t before : signals[node]) {
      if (!is_given(before)) edges_.push_back({before, node});
    }
  }
}

const Regions& RegionFinder::find(std::span<const std::uint8_t> device) {
  const std::size_t nodes = flat_.num_nodes();
  DisjointSets connected(nodes);
  for (const Edge& edge : edges_) {
    if (device[edge.from] == device[edge.to]) connected.unite(edge.from, edge.to);
  }
  std::vector<std::uint32_t> group(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) group[node] = connected.root(node);
  find_circles(group);
  find_depths(group);
  DisjointSets parts(nodes);
  for (const Edge& edge : edges_) {
    if (group[edge.from] == group[edge.to] && depth_[edge.from] == depth_[edge.to]) parts.unite(edge.from, edge.to);
  }
  for (std::uint32_t node = 0; node < nodes; ++node) group[node] = parts.root(node);
  sort_regions(group);
  return regions_;
}

void RegionFinder::find_circles(const std::vector<std::uint32_t>& group) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;
  for (const Edge& edge : edges_) {
    if (group[edge.from] != group[edge.to]) waits.emplace_back(group[edge.from], group[edge.to]);
  }
  circle_ = components_in_order(group.size(), waits);
}

// The most changes of region on any way to a node through its circle; 0 where there is none.
void RegionFinder::find_depths(const std::vector<std::uint32_t>& group) {
  depth_.assign(group.size(), 0);
  for (const Edge& edge : edges_) {  // by `to` in topological order, so that depths of `from` are final
    const std::uint32_t from = group[edge.from], to = group[edge.to];
    if (circle_[from] != circle_[to]) continue;
    depth_[edge.to] = std::max(depth_[edge.to], depth_[edge.from] + (from != to ? 1U : 0U));
  }
}

// Topologically, the region with the lowest node first among the free.
void RegionFinder::sort_regions(const std::vector<std::uint32_t>& region) {
  const std::size_t nodes = region.size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;
  for (const Edge& edge : edges_) {
    if (region[edge.from] != region[edge.to]) waits.emplace_back(region[edge.from], region[edge.to]);
  }
  std::vector<std::uint32_t> missing(nodes, 0), first(nodes + 1, 0), after(waits.size());
  for (const auto& [from, to] : waits) {
    ++first[from + 1];
    ++missing[to];
  }
  for (std::size_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const auto& [from, to] : waits) after[next[from]++] = to;

  std::vector<std::uint32_t> size(nodes, 0);
  for (const std::uint32_t node : order_) {
    if (!is_given(node)) ++size[region[node]];
  }
  LowestFirst free;
  for (std::uint32_t lead = 0; lead < nodes; ++lead) {
    if (size[lead] > 0 && missing[lead] == 0) free.push(lead);
  }
  std::vector<std::uint32_t> place(nodes, 0);  // where the next node of a region goes
  regions_.begin.assign(1, 0);
  while (!free.empty()) {
    const std::uint32_t lead = free.top();
    free.pop();
    place[lead] = regions_.begin.back();
    regions_.begin.push_back(place[lead] + size[lead]);
    for (std::uint32_t i = first[lead]; i < first[lead + 1]; ++i) {
      if (--missing[after[i]] == 0) free.push(after[i]);
    }
  }
  const auto runs = [this](std::uint32_t node) { return !is_given(node); };
  BERTH_CHECK(std::ranges::count_if(order_, runs) == regions_.begin.back());  // a circle would leave regions out
  regions_.nodes.resize(regions_.begin.back());
  for (const std::uint32_t node : order_) {
    if (runs(node)) regions_.nodes[place[region[node]]++] = node;
  }
}

}  // namespace berth
