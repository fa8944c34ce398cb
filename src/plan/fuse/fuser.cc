// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/fuser.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "base/check.h"
#include "plan/fuse/cluster_times.h"

namespace berth {
namespace {

using Cluster = Clusters::Cluster;

constexpr std::size_t kAskEvery = 256;  // joins tried between two questions whether to stop

// Clusters of one placement: what may be joined, and joining.
class Joiner {
 public:
  Joiner(const Problem& problem, const FusionRules& rules, std::span<const std::uint32_t> order, const Plan& plan,
         const Fuser::Stop& stop)
      : problem_(problem), rules_(rules), plan_(plan), stop_(stop), clusters_(problem.graph(), order) {}

  [[nodiscard]] const Clusters& clusters() const { return clusters_; }
  [[nodiscard]] bool may_join(OpId producer, OpId consumer) const {
    return rules_.may_fuse(producer) && rules_.may_fuse(consumer) && plan_.device(producer) == plan_.device(consumer);
  }

  bool join(std::span<const Cluster> clusters) {
    members_.clear();
    for (const Cluster cluster : clusters) {
      const auto ops = clusters_.ops(cluster);
      members_.insert(members_.end(), ops.begin(), ops.end());
      if (members_.size() > kMostFusedOps) return false;
    }
    return rules_.allow(members_) && clusters_.join(clusters);
  }

  [[nodiscard]] bool should_stop() { return stop_ && ++asked_ % kAskEvery == 0 && stop_(); }

  [[nodiscard]] FusionGroups groups() const {
    FusionGroups groups = clusters_.groups();
    std::erase_if(groups, [&](const auto& group) { return !has_two_kernels(problem_, plan_, group); });
    return groups;
  }

 private:
  const Problem& problem_;
  const FusionRules& rules_;
  const Plan& plan_;
  const Fuser::Stop& stop_;
  Clusters clusters_;
  std::vector<OpId> members_;  // workspace
  std::size_t asked_ = 0;
};

// The clusters of a producer and of its consumers that might be joined with it, the producer's first, then by cluster.
void find_joinable(const Graph& graph, const Joiner& joiner, OpId producer, std::vector<Cluster>& found) {
  found.assign(1, joiner.clusters().of(producer));
  for (const TensorId tensor : graph.outputs(producer)) {
    for (const OpId consumer : graph.consumers(tensor)) {
      const Cluster cluster = joiner.clusters().of(consumer);
      if (cluster != found.front() && joiner.may_join(producer, consumer)) found.push_back(cluster);
    }
  }
  std::sort(found.begin() + 1, found.end());
  found.erase(std::unique(found.begin() + 1, found.end()), found.end());
}

std::vector<OpId> by_falling_priority(const Graph& graph, std::span<const double> priority_of_op) {
  std::vector<OpId> order;
  for (const OpId op : graph.ops()) {
    if (priority_of_op[index(op)] >= 0) order.push_back(op);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](OpId op) { return priority_of_op[index(op)]; });
  return order;
}

// Pairs of clusters, producer and consumer, in a queue by the time that joining them saves. A pair is forgotten when
// one of the two has changed since it was priced; what a new cluster is part of is priced anew.
class PairFuser {
 public:
  PairFuser(const Problem& problem, const FusionRules& rules, std::span<const std::uint32_t> order, const Plan& plan,
            const Fuser::Stop& stop)
      : graph_(problem.graph()),
        joiner_(problem, rules, order, plan, stop),
        times_(problem, plan, joiner_.clusters()),
        version_(graph_.num_ops(), 0) {}

  FusionGroups run() {
    for (const OpId op : graph_.ops()) add_pairs_behind(joiner_.clusters().of(op));
    while (!queue_.empty() && !joiner_.should_stop()) {
      const Pair pair = queue_.top();
      queue_.pop();
      if (is_outdated(pair) || !joiner_.join(std::array{pair.producer, pair.consumer})) continue;
      const Cluster joined = std::min(pair.producer, pair.consumer);
      ++version_[pair.producer];
      ++version_[pair.consumer];
      times_.update(joined);
      add_pairs_behind(joined);
      add_pairs_before(joined);
    }
    return joiner_.groups();
  }

 private:
  struct Pair {
    Picoseconds saved;
    Cluster producer, consumer;
    std::uint32_t versions;  // of both when it was priced; versions only rise, so their sum tells
    bool operator<(const Pair& other) const {
      return std::tuple(saved, other.producer, other.consumer) < std::tuple(other.saved, producer, consumer);
    }
  };

  [[nodiscard]] bool is_outdated(const Pair& pair) const {
    return pair.versions != version_[pair.producer] + version_[pair.consumer];
  }

  void add(Cluster producer, Cluster consumer) {
    const Picoseconds saved = times_.saved_by_joining(std::array{producer, consumer});
    // Views cost nothing and save nothing, but lead to what does.
    const bool leads_on = saved == 0 && (times_.time(producer) == 0 || times_.time(consumer) == 0);
    if (saved > 0 || leads_on) queue_.push({saved, producer, consumer, version_[producer] + version_[consumer]});
  }

  void add_pairs_behind(Cluster cluster) {
    near_.clear();
    for (const OpId op : joiner_.clusters().ops(cluster)) {
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.consumers(tensor)) note(cluster, op, consumer, consumer);
      }
    }
    for_each_near([&](Cluster consumer) { add(cluster, consumer); });
  }

  void add_pairs_before(Cluster cluster) {
    near_.clear();
    for (const OpId op : joiner_.clusters().ops(cluster)) {
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        note(cluster, graph_.producer(tensor), op, graph_.producer(tensor));
      }
    }
    for_each_near([&](Cluster producer) { add(producer, cluster); });
  }

  void note(Cluster cluster, OpId producer, OpId consumer, OpId other) {
    const Cluster there = joiner_.clusters().of(other);
    if (there != cluster && joiner_.may_join(producer, consumer)) near_.push_back(there);
  }

  template <typename Use>
  void for_each_near(const Use& use) {
    std::ranges::sort(near_);
    const auto repeats = std::unique(near_.begin(), near_.end());
    for (const Cluster there : std::span(near_.begin(), repeats)) use(there);
  }

  const Graph& graph_;
  Joiner joiner_;
  ClusterTimes times_;
  std::vector<std::uint32_t> version_;  // per cluster: how often it has changed
  std::priority_queue<Pair> queue_;
  std::vector<Cluster> near_;  // workspace
};

}  // namespace

Fuser::Fuser(const Problem& problem)
    : problem_(problem), rules_(problem.graph()), order_(close_order(problem.graph())) {}

FusionGroups Fuser::by_priority(const Plan& placement, std::span<const double> priority_of_op, Joining joining,
                                const Stop& stop) const {
  const Graph& graph = problem_.graph();
  BERTH_CHECK(priority_of_op.size() == graph.num_ops());
  Joiner joiner(problem_, rules_, order_, placement, stop);
  std::vector<Cluster> found;
  for (const OpId producer : by_falling_priority(graph, priority_of_op)) {
    if (joiner.should_stop()) break;
    if (!rules_.may_fuse(producer)) continue;
    find_joinable(graph, joiner, producer, found);
    if (found.size() < 2 || joiner.join(found)) continue;
    if (joining == Joining::kAllOrNone || found.size() == 2) continue;
    for (std::size_t i = 1; i < found.size(); ++i) {
      joiner.join(std::array{joiner.clusters().of(producer), found[i]});
    }
  }
  return joiner.groups();
}

FusionGroups Fuser::by_bytes(const Plan& placement, const Stop& stop) const {
  struct Edge {
    Bytes saved;
    OpId producer, consumer;
  };
  const Graph& graph = problem_.graph();
  Joiner joiner(problem_, rules_, order_, placement, stop);
  ClusterTimes times(problem_, placement, joiner.clusters());
  std::vector<Edge> edges;
  for (const TensorId tensor : graph.tensors()) {
    const OpId producer = graph.producer(tensor);
    const auto consumers = graph.consumers(tensor);
    const bool is_written = consumers.size() > 1 || graph.is_graph_output(tensor);  // whatever is fused
    for (const OpId consumer : consumers) {
      if (joiner.may_join(producer, consumer)) {
        edges.push_back({graph.bytes(tensor) * (is_written ? 1 : 2), producer, consumer});
      }
    }
  }
  std::ranges::stable_sort(edges, std::greater<>(), &Edge::saved);
  for (const Edge& edge : edges) {
    if (joiner.should_stop()) break;
    const std::array pair{joiner.clusters().of(edge.producer), joiner.clusters().of(edge.consumer)};
    if (pair[0] == pair[1] || times.saved_by_joining(pair) < 0 || !joiner.join(pair)) continue;
    times.update(std::ranges::min(pair));
  }
  return joiner.groups();
}

FusionGroups Fuser::by_time(const Plan& placement, const Stop& stop) const {
  return PairFuser(problem_, rules_, order_, placement, stop).run();
}

FusionGroups fuse_by_priority(const Problem& problem, const Plan& placement, std::span<const double> priority_of_op,
                              Joining joining) {
  return Fuser(problem).by_priority(placement, priority_of_op, joining);
}

}  // namespace berth
