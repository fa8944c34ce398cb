// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/bounds.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "machine/device_set.h"
#include "sim/bounds/interval_bound.h"
#include "sim/bounds/work_prices.h"
#include "sim/engine/flat_graph.h"
#include "sim/pipeline_loads.h"
#include "sim/sequential/regions.h"

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

class StepBoundFinder {
 public:
  StepBoundFinder(const Problem& problem, bool fusion_allowed) : problem_(problem), fusion_allowed_(fusion_allowed) {
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

Picoseconds fastest_time(const Problem& problem, std::uint32_t unit, bool fusion_allowed) {
  std::optional<Picoseconds> fastest;
  for (DeviceSet left = problem.unit_allowed(unit); left != 0; left &= left - 1) {
    const DeviceId device = lowest_device(left);
    Picoseconds time = 0;
    for (const OpId op : problem.unit_ops(unit))
      time += fusion_allowed ? problem.compute_part(op, device) : problem.duration(op, device);
    fastest = std::min(fastest.value_or(time), time);
  }
  return fastest.value_or(0);
}

// With everything on one device every connected part is one region, and no plan has fewer.
std::size_t fewest_regions(const Problem& problem) {
  const FlatGraph flat = flatten(problem);
  RegionFinder finder(problem.graph(), flat);
  const std::vector<std::uint8_t> together(flat.num_nodes(), 0);
  return finder.find(together).count();
}

// On a machine without overlap (docs/simulator.md, rule 8) all times add up: every unit on the device where it takes
// least, and at least one region per connected part of the graph. With fusion allowed the compute parts alone, and one
// region: a fused group may join what is not connected.
LowerBound sequential_bound(const Problem& problem, bool fusion_allowed) {
  LowerBound bound;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit)
    bound.sequence += fastest_time(problem, unit, fusion_allowed);
  const std::size_t parts = fewest_regions(problem);
  const std::size_t regions = fusion_allowed ? std::min<std::size_t>(parts, 1) : parts;
  bound.sequence += static_cast<Picoseconds>(regions) * problem.region_cost();
  return bound;
}

// Lower bound of the largest load (sim/pipeline.h). A transfer is unavoidable for a unit on a device if the other end
// of it may not be there. What a unit sends is its own; what it receives it may share with others on its device, so
// that counts for a single unit only, not in the sum of all work.
class PipelineBoundFinder {
 public:
  explicit PipelineBoundFinder(const Problem& problem) : problem_(problem), model_(problem) {}

  [[nodiscard]] LowerBound find() const {
    LowerBound bound;
    bound.work = spread_work();
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      Picoseconds least = std::numeric_limits<Picoseconds>::max();
      for (const DeviceId id : problem_.machine().device_ids()) {
        if (!is_allowed(unit, id)) continue;
        least = std::min(least, model_.load(id, model_.work(unit, id), sent(unit, id) + received(unit, id)));
      }
      bound.largest_unit = std::max(bound.largest_unit, least);
    }
    return bound;
  }

 private:
  [[nodiscard]] bool is_allowed(std::uint32_t unit, DeviceId device) const {
    return (problem_.unit_allowed(unit) & device_bit(device)) != 0;
  }

  [[nodiscard]] Picoseconds sent(std::uint32_t unit, DeviceId device) const {
    Picoseconds sum = 0;
    for (const std::uint32_t net : model_.made_by(unit)) {
      const auto readers = model_.readers(net);
      if (!std::ranges::all_of(readers, [&](std::uint32_t reader) { return is_allowed(reader, device); }))
        sum += model_.out_time(net, device);
    }
    return sum;
  }

  [[nodiscard]] Picoseconds received(std::uint32_t unit, DeviceId device) const {
    Picoseconds sum = 0;
    for (const std::uint32_t net : model_.read_by(unit)) {
      if (!is_allowed(model_.producer(net), device)) sum += model_.in_time(net, device);
    }
    return sum;
  }

  // A transfer takes the whole device, so all its lanes.
  [[nodiscard]] Picoseconds spread_work() const {
    const auto classes = static_cast<std::size_t>(problem_.num_device_classes());
    std::vector<double> lanes(classes, 0.0), times(model_.num_units() * classes, WorkPrices::kNever);
    for (const DeviceId id : problem_.machine().device_ids()) {
      const auto c = static_cast<std::size_t>(problem_.device_class(id));
      const Picoseconds own_lanes = problem_.machine().device(id).lanes;
      lanes[c] += static_cast<double>(own_lanes);
      for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
        if (!is_allowed(unit, id)) continue;
        double& time = times[unit * classes + c];
        time = std::min(time, static_cast<double>(model_.work(unit, id) + own_lanes * sent(unit, id)));
      }
    }
    return WorkPrices(std::move(lanes), std::move(times)).bound();
  }

  const Problem& problem_;
  const PipelineModel model_;
};

}  // namespace

Picoseconds LowerBound::value() const {
  return std::max({critical_path, work, combined, interval, sequence, largest_unit});
}

LowerBound lower_bound(const Problem& problem, bool fusion_allowed) {
  if (problem.objective() == Objective::kPipeline) return PipelineBoundFinder(problem).find();
  if (!problem.machine().overlap()) return sequential_bound(problem, fusion_allowed);
  return StepBoundFinder(problem, fusion_allowed).find();
}

}  // namespace berth
