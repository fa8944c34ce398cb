// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/cut_graph.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.h"
#include "machine/device_set.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffffU;

struct RawEdge {
  std::uint32_t low, high;  // vertices
  double weight;
};

// Groups by number in equal stretches: for what has no edges to join along.
Grouping join_by_number(const Problem& problem, const Grouping& finer, std::size_t wanted) {
  std::vector<std::uint32_t> label(problem.graph().num_ops());
  for (const OpId op : problem.graph().ops()) {
    label[index(op)] = static_cast<std::uint32_t>(std::uint64_t{finer.of(problem, op)} * wanted / finer.size());
  }
  return join_equal_labels(problem, finer, label);
}

// Every tensor counts once for each group that reads it, since it is sent once; by time on an average route, so that
// latency counts too.
std::vector<RawEdge> raw_edges(const Problem& problem, const Grouping& grouping,
                               std::span<const std::uint32_t> vertex_of_group) {
  const Graph& graph = problem.graph();
  const MeanRoute route(problem);
  std::vector<RawEdge> edges;
  std::vector<std::uint32_t> readers;
  for (const TensorId tensor : graph.tensors()) {
    const std::uint32_t from = vertex_of_group[grouping.of(problem, graph.producer(tensor))];
    if (from == kNoVertex) continue;
    readers.clear();
    for (const OpId consumer : graph.consumers(tensor)) {
      const std::uint32_t to = vertex_of_group[grouping.of(problem, consumer)];
      if (to != kNoVertex && to != from) readers.push_back(to);
    }
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    const double weight = route.transfer_time(graph.bytes(tensor));
    for (const std::uint32_t to : readers) edges.push_back({std::min(from, to), std::max(from, to), weight});
  }
  return edges;
}

void merge_parallel(std::vector<RawEdge>& edges) {
  std::ranges::stable_sort(edges, {}, [](const RawEdge& edge) { return std::pair(edge.low, edge.high); });
  std::size_t kept = 0;
  for (const RawEdge& edge : edges) {
    if (kept > 0 && edges[kept - 1].low == edge.low && edges[kept - 1].high == edge.high) {
      edges[kept - 1].weight += edge.weight;
    } else {
      edges[kept++] = edge;
    }
  }
  edges.resize(kept);
}

void fill_rows(CutGraph& graph, std::span<const RawEdge> edges) {
  std::vector<double> weights;
  weights.reserve(edges.size());
  for (const RawEdge& edge : edges) weights.push_back(edge.weight);
  const std::vector<std::int32_t> scaled = scale_weights(weights, kMaxEdgeWeights);

  graph.begin.assign(graph.size() + 1, 0);
  for (const RawEdge& edge : edges) ++graph.begin[edge.low + 1], ++graph.begin[edge.high + 1];
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.neighbour.resize(2 * edges.size());
  graph.edge_weight.resize(2 * edges.size());
  std::vector<std::int32_t> next(graph.begin.begin(), graph.begin.end() - 1);
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::int32_t weight) {
    const auto at = static_cast<std::size_t>(next[from]++);
    graph.neighbour[at] = static_cast<std::int32_t>(to);
    graph.edge_weight[at] = weight;
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    add(edges[i].low, edges[i].high, scaled[i]);
    add(edges[i].high, edges[i].low, scaled[i]);
  }
}

// Part of every device, -1 for those that are no target.
std::vector<std::int32_t> part_of_device(const Problem& problem, std::span<const DeviceId> targets) {
  std::vector<std::int32_t> part(problem.machine().num_devices(), -1);
  for (std::size_t p = 0; p < targets.size(); ++p) part[index(targets[p])] = static_cast<std::int32_t>(p);
  return part;
}

void fill_vertices(const Problem& problem, CutGraph& graph, DeviceSet targets) {
  const GroupWeights weights = weigh_groups(problem, graph.grouping);
  const std::vector<Bytes> bytes = bytes_of_groups(problem, graph.grouping);
  const std::vector<std::int32_t> part = part_of_device(problem, graph.targets);
  std::vector<double> work, memory;
  for (std::uint32_t group = 0; group < graph.grouping.size(); ++group) {
    const DeviceSet allowed = graph.grouping.allowed[group] & targets;
    if (allowed == 0) continue;
    graph.group_of.push_back(group);
    graph.pinned.push_back(std::has_single_bit(allowed) ? part[index(lowest_device(allowed))] : -1);
    work.push_back(static_cast<double>(weights.work[group]));
    memory.push_back(static_cast<double>(bytes[group]));
  }
  graph.work = scale_weights(work, kMaxVertexWeights);
  graph.memory = scale_weights(memory, kMaxVertexWeights);
  graph.memory_bytes = std::accumulate(memory.begin(), memory.end(), 0.0);
}

// The part among `allowed` that the vertex has the heaviest edges to; the lowest of equals.
std::int32_t nearest_part(const CutGraph& graph, std::span<const std::int32_t> part_of, std::size_t vertex,
                          DeviceSet allowed) {
  std::vector<std::int64_t> pull(graph.targets.size(), 0);
  for (auto i = graph.begin[vertex]; i < graph.begin[vertex + 1]; ++i) {
    const auto at = static_cast<std::size_t>(i);
    pull[static_cast<std::size_t>(part_of[static_cast<std::size_t>(graph.neighbour[at])])] += graph.edge_weight[at];
  }
  std::int32_t best = -1;
  for (std::size_t part = 0; part < pull.size(); ++part) {
    if ((allowed & device_bit(graph.targets[part])) == 0) continue;
    if (best < 0 || pull[part] > pull[static_cast<std::size_t>(best)]) best = static_cast<std::int32_t>(part);
  }
  return best;
}

}  // namespace

Grouping coarsen_for_cut(const Problem& problem, std::size_t targets, const CutGrain& grain) {
  Grouping grouping = one_group_per_unit(problem);
  const GroupWeights weights = weigh_groups(problem, grouping);
  const auto total = static_cast<double>(std::accumulate(weights.work.begin(), weights.work.end(), Picoseconds{0}));
  const double share = total / static_cast<double>(std::max<std::size_t>(targets, 1));
  GroupLimits limits;
  limits.work = static_cast<Picoseconds>(share * grain.largest_share);
  grouping = join_only_consumers(problem, grouping, limits);
  const double average = total / static_cast<double>(grain.max_vertices);
  limits.work = std::max<Picoseconds>({limits.work, static_cast<Picoseconds>(average), 1});
  for (; grouping.size() > grain.max_vertices && limits.work < static_cast<Picoseconds>(share / 2); limits.work *= 2) {
    grouping = join_heavy_tensors(problem, grouping, limits);
  }
  if (grouping.size() > grain.max_vertices) grouping = join_by_number(problem, grouping, grain.max_vertices);
  return grouping;
}

Result<CutGraph> make_cut_graph(const Problem& problem, Grouping grouping, std::vector<DeviceId> targets) {
  CutGraph graph;
  graph.grouping = std::move(grouping);
  graph.targets = std::move(targets);
  fill_vertices(problem, graph, set_of(graph.targets));
  std::vector<std::uint32_t> vertex_of_group(graph.grouping.size(), kNoVertex);
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) vertex_of_group[graph.group_of[vertex]] = vertex;
  std::vector<RawEdge> edges = raw_edges(problem, graph.grouping, vertex_of_group);
  merge_parallel(edges);
  if (static_cast<std::int64_t>(edges.size()) > kMaxEdgeWeights / 2) {
    return bad_input(
        "graph partitioners take at most {} edges, this graph has {} between {} groups; "
        "auto and heft have no such limit",
        kMaxEdgeWeights / 2, edges.size(), graph.size());
  }
  fill_rows(graph, edges);
  return graph;
}

std::vector<double> target_speeds(const Problem& problem, std::span<const DeviceId> targets) {
  const DeviceSet all = set_of(targets);
  std::vector<double> time(targets.size(), 0.0);
  double fastest = 0.0;
  for (const OpId op : problem.graph().ops()) {
    if ((problem.allowed(op) & all) != all) continue;
    Picoseconds least = std::numeric_limits<Picoseconds>::max();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Picoseconds here = problem.duration(op, targets[t]);
      time[t] += static_cast<double>(here) / problem.machine().device(targets[t]).lanes;
      least = std::min(least, here);
    }
    fastest += static_cast<double>(least);
  }
  std::vector<double> speeds;
  for (const double here : time) speeds.push_back(here > 0.0 && fastest > 0.0 ? fastest / here : 1.0);
  const double most = std::ranges::max(speeds);
  for (double& speed : speeds) speed /= most;
  return speeds;
}

std::vector<std::int32_t> scale_weights(std::span<const double> weights, std::int64_t limit) {
  BERTH_CHECK(static_cast<std::int64_t>(weights.size()) <= limit / 2);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double room = static_cast<double>(limit) - static_cast<double>(weights.size());
  const double factor = total > 0.0 ? room / total : 0.0;
  std::vector<std::int32_t> scaled;
  scaled.reserve(weights.size());
  for (const double weight : weights) scaled.push_back(std::max(1, static_cast<std::int32_t>(weight * factor)));
  return scaled;
}

Plan plan_from_cut(const Problem& problem, const CutGraph& graph, std::span<const std::int32_t> part_of) {
  std::vector<DeviceId> device_of_group(graph.grouping.size(), kNoDevice);
  for (std::size_t vertex = 0; vertex < graph.size(); ++vertex) {
    const DeviceSet allowed = graph.grouping.allowed[graph.group_of[vertex]];
    auto part = static_cast<std::size_t>(part_of[vertex]);
    if ((allowed & device_bit(graph.targets[part])) == 0) {
      part = static_cast<std::size_t>(nearest_part(graph, part_of, vertex, allowed));
    }
    device_of_group[graph.group_of[vertex]] = graph.targets[part];
  }
  const DeviceId fallback = fallback_device(problem);
  for (std::size_t group = 0; group < device_of_group.size(); ++group) {
    if (device_of_group[group] != kNoDevice) continue;
    const DeviceSet allowed = graph.grouping.allowed[group];
    device_of_group[group] = (allowed & device_bit(fallback)) != 0 ? fallback : lowest_device(allowed);
  }
  return plan_from_groups(problem, graph.grouping, device_of_group);
}

}  // namespace berth
