// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/bounds.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "machine/device_set.h"
#include "sim/bounds/interval_bound.h"
#include "sim/bounds/pipeline_bound.h"
#include "sim/bounds/sequential_bound.h"
#include "sim/bounds/work_prices.h"

namespace berth {
namespace {

// Beyond it the interval bound takes longer than it is worth.
constexpr std::size_t kMaxOpsForIntervals = 1000;

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

class BoundFinder {
 public:
  BoundFinder(const Problem& problem, bool fusion_allowed) : problem_(problem), fusion_allowed_(fusion_allowed) {
    const auto classes = static_cast<std::size_t>(problem.num_device_classes());
    std::vector<double> lanes(classes, 0.0), times;
    std::vector<DeviceSet> members(classes, 0);
    std::vector<DeviceId> first(classes, kNoDevice);
    for (const DeviceId id : problem.machine().device_ids()) {
      const auto c = static_cast<std::size_t>(problem.device_class(id));
      lanes[c] += problem.machine().device(id).lanes;
      members[c] |= device_bit(id);
      if (first[c] == kNoDevice) first[c] = id;
    }
    const Graph& graph = problem.graph();
    times.reserve(graph.num_ops() * classes);
    fastest_.assign(graph.num_ops(), 0);
    for (const OpId op : graph.ops()) {
      Picoseconds fastest = -1;
      for (std::size_t c = 0; c < members.size(); ++c) {
        const bool allowed = (problem.allowed(op) & members[c]) != 0;
        const Picoseconds time = fusion_allowed ? problem.compute_part(op, first[c]) : problem.duration(op, first[c]);
        times.push_back(allowed ? static_cast<double>(time) : WorkPrices::kNever);
        if (allowed && (fastest < 0 || time < fastest)) fastest = time;
      }
      fastest_[index(op)] = std::max<Picoseconds>(0, fastest);
    }
    prices_.emplace(std::move(lanes), std::move(times));
  }

  LowerBound find() {
    find_ways();
    LowerBound bound;
    for (std::size_t i = 0; i < fastest_.size(); ++i)
      bound.critical_path = std::max(bound.critical_path, before_[i] + fastest_[i]);
    bound.work = prices_->bound();
    bound.combined = std::max(sweep(before_, after_), sweep(after_, before_));
    bound.interval = find_interval_bound(bound.value());
    return bound;
  }

 private:
  // Longest way into every op and out of it, every op on its fastest device.
  void find_ways() {
    const Graph& graph = problem_.graph();
    const auto order = graph.topological_order();
    before_.assign(graph.num_ops(), 0);
    after_.assign(graph.num_ops(), 0);
    for (const OpId op : order) {
      Picoseconds& way = before_[index(op)];
      const auto extend = [&](OpId from) { way = std::max(way, before_[index(from)] + fastest_[index(from)]); };
      for (const TensorId tensor : graph.distinct_inputs(op)) extend(graph.producer(tensor));
      for (const OpId from : graph.control_inputs(op)) extend(from);
    }
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      Picoseconds& way = after_[index(*it)];
      const auto extend = [&](OpId to) { way = std::max(way, after_[index(to)] + fastest_[index(to)]); };
      for (const TensorId tensor : graph.outputs(*it)) {
        for (const OpId to : graph.consumers(tensor)) extend(to);
      }
      for (const OpId to : graph.control_outputs(*it)) extend(to);
    }
  }

  // All ops that start no earlier than h and have at least q behind them share what lies between. Tried for every h
  // with the least q among the ops it leaves, and the other way round.
  [[nodiscard]] Picoseconds sweep(const std::vector<Picoseconds>& near, const std::vector<Picoseconds>& far) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t op = 0; op < fastest_.size(); ++op) {
      if (fastest_[op] > 0) order.push_back(op);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return near[x] > near[y]; });
    long double work = 0.0;
    Picoseconds least_far = 0, best = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t op = order[i];
      work += prices_->priced(op);
      least_far = i == 0 ? far[op] : std::min(least_far, far[op]);
      best = std::max(best, near[op] + least_far + WorkPrices::to_bound(work, i + 1));
    }
    return best;
  }

  // Every op at its fastest, on whatever lane is free.
  [[nodiscard]] Picoseconds find_interval_bound(Picoseconds known) const {
    std::vector<WindowedOp> ops;
    for (std::size_t op = 0; op < fastest_.size(); ++op) {
      if (fastest_[op] > 0) ops.push_back({before_[op], fastest_[op], after_[op]});
    }
    if (ops.size() > kMaxOpsForIntervals) return known;
    std::int64_t lanes = 0;
    for (const Device& device : problem_.machine().devices()) lanes += device.lanes;
    return interval_bound(ops, lanes, known, fusion_allowed_ ? 1 : time_grid(problem_));
  }

  const Problem& problem_;
  bool fusion_allowed_;
  std::optional<WorkPrices> prices_;
  std::vector<Picoseconds> fastest_, before_, after_;
};

}  // namespace

Picoseconds LowerBound::value() const {
  return std::max({critical_path, work, combined, interval, sequence, largest_unit});
}

LowerBound lower_bound(const Problem& problem, bool fusion_allowed) {
  if (problem.objective() == Objective::kPipeline) return pipeline_bound(problem);
  if (!problem.machine().overlap()) return sequential_bound(problem, fusion_allowed);
  return BoundFinder(problem, fusion_allowed).find();
}

}  // namespace berth
