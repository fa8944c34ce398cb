// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/queue_or_send.h"

#include <algorithm>
#include <vector>

#include "sim/bounds/join.h"
#include "sim/bounds/load_before.h"
#include "sim/bounds/skeleton.h"

namespace berth {
namespace {

// Steps of all joins together.
constexpr std::int64_t kSteps = 600'000, kStepsPerOp = 6;
// Of one: so many times its share of what is left, since most take less.
constexpr std::int64_t kShares = 4, kLeastStepsOfJoin = 20, kMostStepsOfJoin = 4'000;

class JoinRaiser {
 public:
  JoinRaiser(const DelayGraph& graph, const WorkPrices& prices, const std::vector<NodeId>& gates, const Ways& ways)
      : graph_(graph),
        skeleton_(make_skeleton(graph, ways)),
        load_(graph, prices),
        is_gate_(graph.size(), 0),
        floors_(ways) {
    for (const NodeId op : gates) is_gate_[op] = 1;
  }

  Ways raise() {
    std::int64_t left = kSteps + kStepsPerOp * static_cast<std::int64_t>(graph_.size());
    JoinSearch search(graph_, skeleton_, floors_);
    std::size_t joins = count_joins();
    for (NodeId node = 0; node < skeleton_.op.size(); ++node) {
      lift(node);
      if (is_gate_[skeleton_.op[node]]) wait_for_load(skeleton_.op[node]);
      if (!is_join(node)) continue;
      const std::int64_t share = left / static_cast<std::int64_t>(std::max<std::size_t>(joins--, 1));
      const std::int64_t most = std::clamp(kShares * share, kLeastStepsOfJoin, kMostStepsOfJoin);
      left = std::max<std::int64_t>(left - raise(search, node, most), 0);
    }
    return ways_in(graph_, std::move(floors_));
  }

 private:
  [[nodiscard]] bool is_join(NodeId node) const { return skeleton_.before.of(node).size() > 1; }

  [[nodiscard]] std::size_t count_joins() const {
    std::size_t joins = 0;
    for (NodeId node = 0; node < skeleton_.op.size(); ++node) joins += is_join(node) ? 1 : 0;
    return joins;
  }

  // Behind what was raised before it.
  void lift(NodeId node) {
    for (std::size_t c = 0; c < graph_.classes.size(); ++c) {
      Picoseconds& floor = floors_[graph_.cell(skeleton_.op[node], c)];
      for (const Delay& delay : skeleton_.before.of(node)) floor = std::max(floor, arrival(delay, node, c));
    }
  }

  // Until all that is before it is done.
  void wait_for_load(NodeId op) {
    const Picoseconds start = load_.start(op, floors_);
    for (std::size_t c = 0; c < graph_.classes.size(); ++c) {
      Picoseconds& floor = floors_[graph_.cell(op, c)];
      floor = std::max(floor, start);
    }
  }

  [[nodiscard]] Picoseconds arrival(const Delay& delay, NodeId node, std::size_t device_class) const {
    const NodeId from = skeleton_.op[delay.node];
    Picoseconds least = DelayGraph::kNever;
    const std::size_t here = graph_.cell(from, device_class);
    if (graph_.times[here] < DelayGraph::kNever) least = floors_[here] + graph_.times[here] + delay.same;
    if (graph_.unit_of[from] != graph_.unit_of[skeleton_.op[node]])
      least = std::min(least, earliest_end(graph_, floors_, from) + delay.apart);
    return least;
  }

  // The classes on which the op would end last are not worth the steps: nothing good will come from there.
  std::int64_t raise(JoinSearch& search, NodeId node, std::int64_t steps) {
    const NodeId op = skeleton_.op[node];
    std::int64_t used = 0;
    for (std::size_t round = 0; round < graph_.classes.size(); ++round) {
      std::size_t best = 0;
      for (std::size_t c = 1; c < graph_.classes.size(); ++c) {
        if (end(op, c) < end(op, best)) best = c;
      }
      const Picoseconds before = floors_[graph_.cell(op, best)];
      used += search.raise(node, best, steps);
      if (floors_[graph_.cell(op, best)] == before) break;
    }
    return used;
  }

  [[nodiscard]] Picoseconds end(NodeId op, std::size_t device_class) const {
    const std::size_t cell = graph_.cell(op, device_class);
    return graph_.times[cell] == DelayGraph::kNever ? DelayGraph::kNever : floors_[cell] + graph_.times[cell];
  }

  const DelayGraph& graph_;
  const Skeleton skeleton_;
  LoadBefore load_;
  std::vector<std::uint8_t> is_gate_;
  Ways floors_;
};

}  // namespace

Ways queue_or_send(const DelayGraph& graph, const WorkPrices& prices, const std::vector<NodeId>& gates,
                   const Ways& ways) {
  if (graph.size() == 0) return ways;
  return JoinRaiser(graph, prices, gates, ways).raise();
}

}  // namespace berth
