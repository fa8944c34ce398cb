// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/step_bound.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "machine/device_set.h"
#include "sim/bounds/delay_graph.h"
#include "sim/bounds/interval_bound.h"
#include "sim/bounds/queue_or_send.h"
#include "sim/bounds/window_bound.h"
#include "sim/bounds/work_prices.h"

namespace berth {
namespace {

// Beyond it the interval bound takes longer than it is worth.
constexpr std::size_t kMostOpsForIntervals = 1000;

// The largest time that divides all durations and delays, so that every event falls on a multiple of it. One picosecond
// for measured times, but problems from books count in whole units.
Picoseconds time_grid(const Problem& problem) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  Picoseconds grid = 0;
  for (const OpId op : graph.ops()) {
    for (DeviceSet set = problem.allowed(op); set != 0 && grid != 1; set &= set - 1) {
      grid = std::gcd(grid, problem.duration(op, lowest_device(set)));
    }
  }
  for (const TensorId tensor : graph.tensors()) {
    for (std::size_t channel = 0; channel < machine.channels().size() && grid != 1; ++channel) {
      if (graph.consumers(tensor).empty()) break;
      grid = std::gcd(grid, problem.transfer_time(graph.bytes(tensor), static_cast<int>(channel)));
    }
  }
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) grid = std::gcd(grid, problem.control_latency(from, to));
  }
  return std::max<Picoseconds>(grid, 1);
}

WorkPrices prices_of(const Problem& problem, const DelayGraph& graph) {
  std::vector<double> lanes(graph.classes.size(), 0.0), times;
  for (const DeviceId id : problem.machine().device_ids())
    lanes[static_cast<std::size_t>(problem.device_class(id))] += problem.machine().device(id).lanes;
  times.reserve(graph.times.size());
  for (const Picoseconds time : graph.times)
    times.push_back(time < DelayGraph::kNever ? static_cast<double>(time) : WorkPrices::kNever);
  return {std::move(lanes), std::move(times)};
}

class StepBoundFinder {
 public:
  StepBoundFinder(const Problem& problem, bool fusion_allowed)
      : problem_(problem),
        fusion_allowed_(fusion_allowed),
        graph_(delay_graph(problem, fusion_allowed)),
        turned_(turned_around(graph_)),
        prices_(prices_of(problem, graph_)) {}

  LowerBound find() {
    LowerBound bound;
    bound[BoundKind::kPath] = longest_path();
    in_ = ways_in(graph_);
    out_ = ways_in(turned_);
    bound[BoundKind::kTransfers] = longest_way().second;
    const std::vector<NodeId> gates = gates_on_longest_way();
    in_ = queue_or_send(graph_, prices_, gates, in_);
    out_ = queue_or_send(turned_, prices_, gates, out_);
    std::tie(bound.through, bound[BoundKind::kQueueOrSend]) = longest_way();
    bound[BoundKind::kWork] = prices_.bound();
    bound[BoundKind::kWindow] = window();
    bound[BoundKind::kLargestUnit] = largest_unit();
    bound[BoundKind::kInterval] = interval(bound.value());
    return bound;
  }

 private:
  [[nodiscard]] Picoseconds longest_path() const {
    std::vector<Picoseconds> ends(graph_.size(), 0);
    Picoseconds longest = 0;
    for (const NodeId node : graph_.order) {
      for (const Delay& delay : graph_.before.of(node)) ends[node] = std::max(ends[node], ends[delay.node]);
      ends[node] += graph_.least_time(node);
      longest = std::max(longest, ends[node]);
    }
    return longest;
  }

  // Through every op on the device that suits it best.
  [[nodiscard]] std::pair<OpId, Picoseconds> longest_way() const {
    std::pair<OpId, Picoseconds> longest{kNoOp, 0};
    for (NodeId node = 0; node < graph_.size(); ++node) {
      Picoseconds least = DelayGraph::kNever;
      for (std::size_t cell = graph_.cell(node, 0); cell < graph_.cell(node + 1, 0); ++cell) {
        if (graph_.times[cell] < DelayGraph::kNever)
          least = std::min(least, in_[cell] + graph_.times[cell] + out_[cell]);
      }
      if (least > longest.second) longest = {OpId(node), least};
    }
    return longest;
  }

  // Ops on the longest way, evenly over it.
  [[nodiscard]] std::vector<NodeId> gates_on_longest_way() const {
    constexpr Picoseconds kGates = 24;
    const Picoseconds longest = longest_way().second, almost = longest - longest / 1000;
    std::vector<std::pair<Picoseconds, NodeId>> on_way;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const Picoseconds start = earliest_start(graph_, in_, node);
      if (graph_.least_time(node) > 0 &&
          start + graph_.least_time(node) + earliest_start(turned_, out_, node) >= almost)
        on_way.emplace_back(start, node);
    }
    std::ranges::sort(on_way);
    std::vector<NodeId> gates;
    Picoseconds next = longest / kGates;
    for (const auto& [start, node] : on_way) {
      if (start < next) continue;
      gates.push_back(node);
      next = start + longest / kGates;
    }
    return gates;
  }

  [[nodiscard]] Picoseconds window() const {
    std::vector<PricedOp> ops;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      if (graph_.least_time(node) == 0) continue;
      ops.push_back({earliest_start(graph_, in_, node), earliest_start(turned_, out_, node), prices_.priced(node)});
    }
    return window_bound(std::move(ops));
  }

  // Ops of a unit queue on one device, whichever it is.
  [[nodiscard]] Picoseconds largest_unit() const {
    struct Queue {
      Picoseconds before = DelayGraph::kNever, work = 0, after = DelayGraph::kNever;
    };
    const std::size_t classes = graph_.classes.size();
    std::vector<Queue> queues(problem_.num_units() * classes);
    for (NodeId node = 0; node < graph_.size(); ++node) {
      for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t cell = graph_.cell(node, c);
        if (graph_.times[cell] == 0 || graph_.times[cell] == DelayGraph::kNever) continue;
        Queue& queue = queues[graph_.unit_of[node] * classes + c];
        queue = {std::min(queue.before, in_[cell]), queue.work + graph_.times[cell], std::min(queue.after, out_[cell])};
      }
    }
    Picoseconds largest = 0;
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
      Picoseconds least = DelayGraph::kNever;
      for (DeviceSet left = problem_.unit_allowed(unit); left != 0; left &= left - 1) {
        const auto c = static_cast<std::size_t>(problem_.device_class(lowest_device(left)));
        const auto& [before, work, after] = queues[unit * classes + c];
        const Picoseconds lanes = graph_.classes[c].lanes;
        least = std::min(least, work > 0 ? before + (work + lanes - 1) / lanes + after : 0);
      }
      largest = std::max(largest, least);
    }
    return largest;
  }

  // Every op at its fastest, on whatever lane is free.
  [[nodiscard]] Picoseconds interval(Picoseconds known) const {
    std::vector<WindowedOp> ops;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const Picoseconds time = graph_.least_time(node);
      if (time > 0) ops.push_back({earliest_start(graph_, in_, node), time, earliest_start(turned_, out_, node)});
    }
    if (ops.size() > kMostOpsForIntervals) return known;
    std::int64_t lanes = 0;
    for (const Device& device : problem_.machine().devices()) lanes += device.lanes;
    return interval_bound(ops, lanes, known, fusion_allowed_ ? 1 : time_grid(problem_));
  }

  const Problem& problem_;
  const bool fusion_allowed_;
  const DelayGraph graph_, turned_;
  const WorkPrices prices_;
  Ways in_, out_;
};

}  // namespace

LowerBound step_bound(const Problem& problem, bool fusion_allowed) {
  return StepBoundFinder(problem, fusion_allowed).find();
}

}  // namespace berth
