// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/op_clusters.h"

#include <algorithm>
#include <ranges>

#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr Picoseconds kMostJoined = 4;  // work that may join a cluster, in short ops ...
constexpr double kMostOfHead = 0.25;    // ... or as a share of the first op's

bool is_source(Role role) { return is_resident(role) || role == Role::kInput; }

class ShortOpClusterer {
 public:
  ShortOpClusterer(const Problem& problem, Picoseconds short_op)
      : problem_(problem),
        graph_(problem.graph()),
        short_op_(short_op),
        elided_(graph_.num_ops()),
        head_(graph_.num_ops(), kNoOp),
        maker_(graph_.num_tensors(), kNoOp),
        work_(graph_.num_ops(), 0),
        joined_(graph_.num_ops(), 0) {
    for (const TensorId tensor : graph_.tensors()) source_.push_back(tensor);
    for (const OpId op : graph_.ops()) work_[index(op)] = least_time(problem, op);
  }

  OpClusters run() && {
    join_what_is_waited_for();
    merged_ = ids_of_ops();
    join_what_waits();
    OpClusters clusters;
    for (const OpId op : graph_.ops()) {
      clusters.of.push_back(elided_[index(op)] ? kNoOp : merged_[index(head_[index(op)])]);
    }
    clusters.source = std::move(source_);
    return clusters;
  }

 private:
  [[nodiscard]] std::vector<OpId> ids_of_ops() const {
    std::vector<OpId> all;
    for (const OpId op : graph_.ops()) all.push_back(op);
    return all;
  }

  [[nodiscard]] bool stands_alone(OpId op) const { return problem_.unit_ops(problem_.unit(op)).size() == 1; }
  [[nodiscard]] bool joinable(OpId op) const {
    return graph_.role(op) == Role::kCompute && graph_.updated_parameter(op) == kNoOp && stands_alone(op);
  }

  // A view that shows all of one tensor and has no other part in the step.
  [[nodiscard]] bool shows_all(OpId op) const {
    if (graph_.role(op) != Role::kView || graph_.inputs(op).size() != 1 || graph_.outputs(op).size() != 1) return false;
    const TensorId shown = graph_.outputs(op)[0], root = graph_.inputs(op)[0];
    if (graph_.bytes(shown) != graph_.bytes(root) || graph_.is_graph_output(shown) || !stands_alone(op)) return false;
    if (graph_.consumers(shown).size() > 1) return false;
    // Whoever reads a parameter comes before its update, by a control edge of its own.
    const OpId behind = graph_.producer(source_[index(root)]);
    return graph_.control_inputs(op).empty() && std::ranges::all_of(graph_.control_outputs(op), [&](OpId later) {
             return graph_.updated_parameter(later) == behind;
           });
  }
  // A view that is there as soon as the op behind it has ended.
  [[nodiscard]] bool is_transparent(OpId op) const {
    return graph_.role(op) == Role::kView && graph_.distinct_inputs(op).size() == 1 &&
           graph_.control_inputs(op).empty() && graph_.control_outputs(op).empty();
  }

  void note_maker(OpId op) {
    const bool only_shows = elided_[index(op)] || is_transparent(op);
    OpId maker = only_shows ? maker_[index(graph_.inputs(op).front())] : op;
    if (is_source(graph_.role(op))) maker = kNoOp;
    for (const TensorId tensor : graph_.outputs(op)) maker_[index(tensor)] = maker;
  }

  bool may_join(OpId op, Picoseconds work, OpId cluster) const {
    const Picoseconds joined = joined_[index(cluster)] + work;
    const auto share = static_cast<Picoseconds>(kMostOfHead * static_cast<double>(work_[index(cluster)]));
    return work <= short_op_ && joinable(cluster) && joined <= std::max(kMostJoined * short_op_, share) &&
           problem_.allowed(op) == problem_.allowed(cluster);
  }

  // Forward: an op joins the cluster of all that it waits for. Each cluster then waits for what its first op waits for.
  void join_what_is_waited_for() {
    for (const OpId op : graph_.topological_order()) {
      head_[index(op)] = op;
      elided_[index(op)] = shows_all(op);
      if (elided_[index(op)]) source_[index(graph_.outputs(op)[0])] = source_[index(graph_.inputs(op)[0])];
      note_maker(op);
      if (!joinable(op)) continue;
      const OpId before = only_one_before(op);
      if (before == kNoOp || !may_join(op, work_[index(op)], before)) continue;
      head_[index(op)] = before;
      joined_[index(before)] += work_[index(op)];
    }
  }

  [[nodiscard]] OpId only_one_before(OpId op) const {
    OpId only = kNoOp;
    bool has_others = false;
    const auto see = [&](OpId before) {
      if (before == kNoOp || is_source(graph_.role(before))) return;
      const OpId cluster = head_[index(before)];
      has_others |= only != kNoOp && cluster != only;
      only = cluster;
    };
    for (const TensorId tensor : graph_.distinct_inputs(op)) see(maker_[index(tensor)]);
    for (const OpId before : graph_.control_inputs(op)) see(before);
    return has_others ? kNoOp : only;
  }

  // Backward, by clusters: one joins that which all its readers are in.
  void join_what_waits() {
    std::vector<std::vector<OpId>> members(graph_.num_ops());
    for (const OpId op : graph_.ops()) members[index(head_[index(op)])].push_back(op);
    for (const OpId head : graph_.topological_order() | std::views::reverse) {
      if (head_[index(head)] != head || !joinable(head)) continue;
      const OpId after = only_one_after(head, members[index(head)]);
      const Picoseconds work = work_[index(head)] + joined_[index(head)];
      if (after == kNoOp || !may_join(head, work, after)) continue;
      merged_[index(head)] = after;
      joined_[index(after)] += work;
    }
  }

  [[nodiscard]] OpId only_one_after(OpId head, const std::vector<OpId>& members) const {
    OpId only = kNoOp;
    bool has_others = false;
    const auto see = [&](OpId after) {
      const OpId cluster = merged_[index(head_[index(after)])];
      if (cluster == head) return;
      has_others |= only != kNoOp && cluster != only;
      only = cluster;
    };
    for (const OpId op : members) {
      for (const TensorId tensor : graph_.outputs(op)) see_readers(tensor, see);
      for (const OpId after : graph_.control_outputs(op)) see(after);
    }
    return has_others ? kNoOp : only;
  }

  template <typename See>
  void see_readers(TensorId tensor, const See& see) const {
    std::vector<TensorId> open{tensor};  // a file may chain any number of views
    while (!open.empty()) {
      const TensorId shown = open.back();
      open.pop_back();
      for (const OpId reader : graph_.consumers(shown)) {
        if (!elided_[index(reader)] && !is_transparent(reader)) {
          see(reader);
        } else {
          for (const TensorId next : graph_.outputs(reader)) open.push_back(next);
        }
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Picoseconds short_op_;
  std::vector<bool> elided_;      // per op: nobody's
  std::vector<OpId> head_;        // of the forward pass: the first op of its cluster
  std::vector<OpId> merged_;      // per head: the head of the cluster that its own has joined in the backward pass
  std::vector<TensorId> source_;  // see OpClusters
  // Per tensor: the op that ends when it is there, behind views; kNoOp for what is there from the start.
  std::vector<OpId> maker_;
  std::vector<Picoseconds> work_;    // per op, on its fastest device
  std::vector<Picoseconds> joined_;  // per head: work that has joined it
};

}  // namespace

OpClusters cluster_short_ops(const Problem& problem, Picoseconds short_op) {
  return ShortOpClusterer(problem, short_op).run();
}

}  // namespace berth
