// SPDX-License-Identifier: Apache-2.0
#include "learn/go/coordinates.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "plan/layers/backward_ops.h"
#include "plan/layers/layers.h"

namespace berth::learn {
namespace {

Picoseconds quickest(const Problem& problem, OpId op) {
  Picoseconds least = std::numeric_limits<Picoseconds>::max();
  for (const DeviceId device : problem.machine().device_ids()) {
    if ((problem.allowed(op) & device_bit(device)) != 0) least = std::min(least, problem.duration(op, device));
  }
  return least;
}

// The longest way, by time and then by ops, from the start to every op, and from it to the end of the step.
struct Ways {
  std::vector<double> from_start, to_end;
};

Ways longest_ways(const Problem& problem) {
  const Graph& graph = problem.graph();
  Ways ways{std::vector<double>(graph.num_ops()), std::vector<double>(graph.num_ops())};
  std::vector<double> length(graph.num_ops());
  double all = 0.0;
  for (const OpId op : graph.ops()) all += length[index(op)] = to_seconds(quickest(problem, op));
  const double step = 1e-6 * std::max(all, 1e-9) / static_cast<double>(std::max<std::size_t>(graph.num_ops(), 1));
  for (double& each : length) each += step;  // so that ops without duration are in order too
  const auto order = graph.topological_order();
  for (const OpId op : order) {
    const double end = ways.from_start[index(op)] + length[index(op)];
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.consumers(tensor))
        ways.from_start[index(consumer)] = std::max(ways.from_start[index(consumer)], end);
    }
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.consumers(tensor))
        ways.to_end[index(*op)] = std::max(ways.to_end[index(*op)], ways.to_end[index(consumer)]);
    }
    ways.to_end[index(*op)] += length[index(*op)];
  }
  return ways;
}

// What is held, not computed, is where it is first read; what updates it goes with it.
void move_to_readers(const Graph& graph, std::vector<double>& value) {
  std::vector<std::uint32_t> position(graph.num_ops());
  for (std::uint32_t i = 0; const OpId op : graph.topological_order()) position[index(op)] = i++;
  const auto is_held = [&](OpId op) { return graph.role(op) != Role::kCompute && graph.role(op) != Role::kView; };
  for (const OpId op : graph.ops()) {
    if (!is_held(op)) continue;
    OpId first = kNoOp;
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId reader : graph.consumers(tensor)) {
        if (graph.updated_parameter(reader) == op) continue;
        if (first == kNoOp || position[index(reader)] < position[index(first)]) first = reader;
      }
    }
    if (first != kNoOp) value[index(op)] = value[index(first)];
  }
  for (const OpId op : graph.ops()) {
    if (graph.updated_parameter(op) != kNoOp) value[index(op)] = value[index(graph.updated_parameter(op))];
  }
}

// Depth of every op, as a share of the deepest. A gradient whose forward op is not named is as deep as it is far from
// the end of the step.
std::vector<double> depths_of(const Graph& graph, const Ways& ways) {
  const std::vector<std::uint8_t> backward = backward_ops(graph);
  double most_forward = 1e-30, most_backward = 1e-30;
  for (const OpId op : graph.ops()) {
    double& most = backward[index(op)] != 0 ? most_backward : most_forward;
    most = std::max(most, backward[index(op)] != 0 ? ways.to_end[index(op)] : ways.from_start[index(op)]);
  }
  std::vector<double> depth(graph.num_ops());
  for (const OpId op : graph.ops()) {
    depth[index(op)] =
        backward[index(op)] != 0 ? ways.to_end[index(op)] / most_backward : ways.from_start[index(op)] / most_forward;
  }
  for (const OpId op : graph.ops()) {
    const OpId forward = graph.forward_of(op);
    if (forward != kNoOp) depth[index(op)] = ways.from_start[index(forward)] / most_forward;
  }
  return depth;
}

std::vector<double> layers_of(const Graph& graph, std::span<const double> depth) {
  const std::optional<Layers> layers = find_layers(graph);
  if (!layers || layers->names.size() < 2) return {depth.begin(), depth.end()};
  std::vector<double> layer(graph.num_ops());
  for (const OpId op : graph.ops()) layer[index(op)] = static_cast<double>(layers->of_op[index(op)]);
  return layer;
}

// Numbers of ops as numbers of nodes: in the mean, by work.
std::vector<double> means_of_nodes(const Problem& problem, const Items& items, std::span<const double> of_op) {
  std::vector<double> sum(items.size()), weight(items.size());
  for (const OpId op : problem.graph().ops()) {
    const std::int64_t place = items.position[items.grouping.of(problem, op)];
    if (place < 0) continue;
    const double work = to_seconds(quickest(problem, op)) + 1e-12;
    sum[static_cast<std::size_t>(place)] += work * of_op[index(op)];
    weight[static_cast<std::size_t>(place)] += work;
  }
  for (std::size_t v = 0; v < sum.size(); ++v) sum[v] /= std::max(weight[v], 1e-30);
  return sum;
}

// The share of all work that lies before each value, half of that at the value itself included.
void put_evenly(std::span<const double> value, std::span<const double> work, Rows& rows, std::size_t column) {
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t v) { return value[v]; });
  const double floor = 1e-9 * std::accumulate(work.begin(), work.end(), 1e-12);  // where nothing takes time
  double all = 0.0;
  for (const double each : work) all += each + floor;
  const double same = order.empty() ? 0.0 : 1e-12 * (value[order.back()] - value[order.front()]);  // but for rounding
  double before = 0.0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double here = 0.0;
    for (; end < order.size() && value[order[end]] - value[order[begin]] <= same; ++end)
      here += work[order[end]] + floor;
    for (std::size_t i = begin; i < end; ++i)
      rows.at(order[i], column) = static_cast<float>((before + here / 2.0) / all);
    before += here;
    begin = end;
  }
}

}  // namespace

std::vector<double> work_of_items(const Problem& problem, const Items& items) {
  const std::vector<Picoseconds> work = weigh_groups(problem, items.grouping).work;
  std::vector<double> seconds(items.size());
  for (std::size_t v = 0; v < seconds.size(); ++v) seconds[v] = to_seconds(work[items.decided[v]]);
  return seconds;
}

Rows node_coordinates(const Problem& problem, const Items& items) {
  const Graph& graph = problem.graph();
  const Ways ways = longest_ways(problem);
  const std::vector<double> depth = depths_of(graph, ways);
  std::vector<double> place(graph.num_ops());
  for (double next = 0.0; const OpId op : graph.topological_order()) place[index(op)] = next++;
  const std::vector<double> work = work_of_items(problem, items);
  Rows rows(items.size(), static_cast<std::size_t>(kCoordinates));
  std::size_t column = 0;
  for (std::vector<double> value : {place, ways.from_start, depth, layers_of(graph, depth)}) {
    if (column < kCoordinates - 1) move_to_readers(graph, value);  // layers know their parameters
    put_evenly(means_of_nodes(problem, items, value), work, rows, column++);
  }
  return rows;
}

}  // namespace berth::learn
