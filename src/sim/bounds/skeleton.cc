// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/skeleton.h"

#include <algorithm>

namespace berth {
namespace {

constexpr double kLight = 0.1;           // of the time of an op that does the typical bit of work
constexpr std::size_t kMostThrough = 8;  // ways that one light op hands on

// Half of the work is done by ops that take longer, more or less: the mean, every op counted by its time.
double typical_time(const DelayGraph& graph) {
  double sum = 0.0, squares = 0.0;
  for (NodeId op = 0; op < graph.size(); ++op) {
    const auto time = static_cast<double>(graph.least_time(op));
    sum += time;
    squares += time * time;
  }
  return sum > 0.0 ? squares / sum : 0.0;
}

class SkeletonMaker {
 public:
  SkeletonMaker(const DelayGraph& graph, const Ways& ways)
      : graph_(graph),
        ways_(ways),
        light_(kLight * typical_time(graph)),
        from_(graph.size()),
        is_light_(graph.size(), 0) {}

  Skeleton make() {
    std::vector<NodeId> kept;
    for (const NodeId op : graph_.order) {
      gather(op);
      is_light_[op] = may_go(op) ? 1 : 0;
      if (!is_light(op)) kept.push_back(op);
    }
    std::ranges::stable_sort(kept, {}, [&](NodeId op) { return earliest_start(graph_, ways_, op); });
    Skeleton skeleton;
    std::vector<NodeId> node_of(graph_.size());
    for (NodeId node = 0; node < kept.size(); ++node) node_of[kept[node]] = node;
    for (const NodeId op : kept) {
      for (const Delay& delay : from_[op]) {
        skeleton.before.delays.push_back({node_of[delay.node], delay.same, delay.apart, delay.port});
      }
      skeleton.before.begin.push_back(static_cast<std::uint32_t>(skeleton.before.delays.size()));
    }
    skeleton.op = std::move(kept);
    return skeleton;
  }

 private:
  // What an op waits for, light ops left out.
  void gather(NodeId op) {
    auto& all = from_[op];
    for (const Delay& delay : graph_.before.of(op)) {
      if (!is_light(delay.node)) {
        all.push_back(delay);
        continue;
      }
      const Picoseconds time = graph_.least_time(delay.node);
      for (const Delay& first : from_[delay.node]) {
        const Picoseconds apart = std::min(first.apart + delay.same, first.same + delay.apart);
        all.push_back({first.node, first.same + time + delay.same, time + apart});
      }
    }
    std::ranges::sort(all, {}, &Delay::node);
    std::size_t kept = 0;
    for (const Delay& delay : all) {
      if (kept == 0 || all[kept - 1].node != delay.node) {
        all[kept++] = delay;
        continue;
      }
      all[kept - 1].same = std::max(all[kept - 1].same, delay.same);
      all[kept - 1].apart = std::max(all[kept - 1].apart, delay.apart);
      all[kept - 1].port = std::max(all[kept - 1].port, delay.port);
    }
    all.resize(kept);
  }

  // What several heavy ops read is kept, since they all have to get it from one place, and what joins many ways, so
  // that their number does not grow.
  [[nodiscard]] bool is_light(NodeId op) const { return is_light_[op] != 0; }

  [[nodiscard]] bool may_go(NodeId op) const {
    if (is_heavy(op) || from_[op].size() > kMostThrough) return false;
    int readers = 0;
    for (const Delay& delay : graph_.after.of(op)) readers += is_heavy(delay.node) ? 1 : 0;
    return readers < 2;
  }

  [[nodiscard]] bool is_heavy(NodeId op) const { return static_cast<double>(graph_.least_time(op)) > light_; }

  const DelayGraph& graph_;
  const Ways& ways_;
  const double light_;
  std::vector<std::vector<Delay>> from_;  // what every op waits for, light ops left out
  std::vector<std::uint8_t> is_light_;
};

}  // namespace

Skeleton make_skeleton(const DelayGraph& graph, const Ways& ways) { return SkeletonMaker(graph, ways).make(); }

}  // namespace berth
