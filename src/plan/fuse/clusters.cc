// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/clusters.h"

#include <algorithm>

namespace berth {

std::vector<std::uint32_t> close_order(const Graph& graph) {
  std::vector<std::uint32_t> waits(graph.num_ops(), 0), order;
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.outputs(op)) {
      waits[index(op)] += static_cast<std::uint32_t>(graph.consumers(tensor).size());
    }
    waits[index(op)] += static_cast<std::uint32_t>(graph.control_outputs(op).size());
  }
  // From the end: an op comes out once all that wait for it are out, and what came last goes on.
  std::vector<OpId> free;
  for (const OpId op : graph.ops()) {
    if (waits[index(op)] == 0) free.push_back(op);
  }
  order.reserve(graph.num_ops());
  const auto release = [&](OpId op) {
    if (--waits[index(op)] == 0) free.push_back(op);
  };
  while (!free.empty()) {
    const OpId op = free.back();
    free.pop_back();
    order.push_back(static_cast<std::uint32_t>(op));
    for (const OpId before : graph.control_inputs(op)) release(before);
    for (const TensorId tensor : graph.distinct_inputs(op)) release(graph.producer(tensor));
  }
  std::ranges::reverse(order);
  return order;
}

Clusters::Clusters(const Graph& graph, std::span<const std::uint32_t> order)
    : graph_(graph),
      order_(order),
      singles_(graph.ops().begin(), graph.ops().end()),
      members_(graph.num_ops()),
      seen_(graph.num_ops(), 0) {
  for (const OpId op : graph.ops()) cluster_of_.push_back(static_cast<Cluster>(op));
}

std::span<const OpId> Clusters::ops(Cluster cluster) const {
  return members_[cluster].empty() ? std::span(&singles_[cluster], 1) : std::span(members_[cluster]);
}

// Until visit says false; whether it never did. A neighbour may come several times, and a cluster is its own.
template <typename Visit>
bool Clusters::for_each_neighbour(Cluster cluster, Way way, const Visit& visit) const {
  for (const OpId op : ops(cluster)) {
    if (way == Way::kForward) {
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId to : graph_.consumers(tensor)) {
          if (!visit(of(to))) return false;
        }
      }
      for (const OpId to : graph_.control_outputs(op)) {
        if (!visit(of(to))) return false;
      }
    } else {
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        if (!visit(of(graph_.producer(tensor)))) return false;
      }
      for (const OpId from : graph_.control_inputs(op)) {
        if (!visit(of(from))) return false;
      }
    }
  }
  return true;
}

// Goes from the clusters to all that lies before the limit (forward) or behind it (backward). A way that leads back to
// one of them is a cycle once they are one.
Clusters::Verdict Clusters::search(std::span<const Cluster> clusters, Way way, std::uint64_t limit) {
  const std::uint32_t now = ++searches_;
  std::size_t edges = 0;
  bool is_start = true, meets_start = false;
  met_.clear();
  for (const Cluster cluster : clusters) seen_[cluster] = now;
  const auto visit = [&](Cluster next) {
    if (++edges > kMostMet) return false;
    const std::uint64_t label = order_.label(next);
    if (seen_[next] == now) {
      meets_start = !is_start && std::ranges::find(clusters, next) != clusters.end();
      return !meets_start;
    }
    if (way == Way::kForward ? label >= limit : label <= limit) return true;
    seen_[next] = now;
    met_.push_back(next);
    return true;
  };
  bool whole = std::ranges::all_of(clusters, [&](Cluster from) { return for_each_neighbour(from, way, visit); });
  is_start = false;
  for (std::size_t next = 0; whole && next < met_.size(); ++next) whole = for_each_neighbour(met_[next], way, visit);
  if (whole) return Verdict::kFree;
  return meets_start ? Verdict::kCycle : Verdict::kTooFar;
}

bool Clusters::join(std::span<const Cluster> clusters) {
  const auto label = [&](Cluster cluster) { return order_.label(cluster); };
  const Cluster last = std::ranges::max(clusters, {}, label), first = std::ranges::min(clusters, {}, label);
  Verdict verdict = search(clusters, Way::kForward, label(last));
  if (verdict == Verdict::kFree) {
    std::ranges::sort(met_, {}, label);
    order_.move_behind(last, met_);
    unite(clusters, last);
    return true;
  }
  if (verdict == Verdict::kTooFar) verdict = search(clusters, Way::kBackward, label(first));
  if (verdict != Verdict::kFree) return false;
  std::ranges::sort(met_, {}, label);
  order_.move_before(first, met_);
  unite(clusters, first);
  return true;
}

void Clusters::unite(std::span<const Cluster> clusters, Cluster place) {
  const Cluster lowest = std::ranges::min(clusters);
  std::vector<OpId> all;
  for (const Cluster cluster : clusters) {
    const auto own = ops(cluster);
    all.insert(all.end(), own.begin(), own.end());
  }
  for (const Cluster cluster : clusters) {
    members_[cluster].clear();
    if (cluster != place && cluster != lowest) order_.remove(cluster);
  }
  if (lowest != place) {
    order_.move_behind(place, std::span(&lowest, 1));
    order_.remove(place);
  }
  for (const OpId op : all) cluster_of_[index(op)] = lowest;
  members_[lowest] = std::move(all);
}

FusionGroups Clusters::groups() const {
  FusionGroups groups;
  for (const auto& members : members_) {
    if (members.empty()) continue;
    groups.push_back(members);
    std::ranges::sort(groups.back());
  }
  return groups;
}

}  // namespace berth
