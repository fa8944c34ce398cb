// SPDX-License-Identifier: Apache-2.0
#include "learn/go/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/features/devices.h"
#include "learn/features/features.h"
#include "learn/go/node_features.h"
#include "learn/go/waves.h"
#include "plan/coarsen/heavy_grouping.h"

namespace berth::learn {
namespace {

Neighbours neighbours_of(const Items& items, bool before) {
  Neighbours neighbours;
  neighbours.begin.assign(items.size() + 1, 0);
  neighbours.node.resize(items.edges.size());
  for (const Items::Edge& edge : items.edges) ++neighbours.begin[(before ? edge.to : edge.from) + 1];
  std::partial_sum(neighbours.begin.begin(), neighbours.begin.end(), neighbours.begin.begin());
  std::vector<std::uint32_t> next(neighbours.begin.begin(), neighbours.begin.end() - 1);
  for (const Items::Edge& edge : items.edges)
    neighbours.node[next[before ? edge.to : edge.from]++] = before ? edge.from : edge.to;
  return neighbours;
}

constexpr std::size_t kOwnDeviceColumns = 9;

Mixing mixing_of(const Items& items, bool before, at::Device device) {
  std::vector<double> total(items.size());
  const auto bytes = [](const Items::Edge& edge) { return static_cast<double>(edge.bytes) + 1.0; };
  for (const Items::Edge& edge : items.edges) total[before ? edge.to : edge.from] += bytes(edge);
  std::vector<std::int64_t> source, target;
  std::vector<float> weight, none;
  for (const double bytes_there : total) none.push_back(bytes_there > 0.0 ? 0.0F : 1.0F);
  for (const Items::Edge& edge : items.edges) {
    source.push_back(before ? edge.from : edge.to);
    target.push_back(before ? edge.to : edge.from);
    weight.push_back(static_cast<float>(bytes(edge) / total[before ? edge.to : edge.from]));
  }
  const auto count = static_cast<std::int64_t>(weight.size());
  return {tensor_of(source, {count}).to(device), tensor_of(target, {count}).to(device),
          tensor_of(weight, {count, 1}).to(device),
          tensor_of(none, {static_cast<std::int64_t>(none.size()), 1}).to(device)};
}

// Sums over the ops of every node.
struct NodeSums {
  Rows seconds;                  // [nodes, devices]
  std::vector<double> resident;  // bytes
  double quickest = 0.0;         // seconds of everything, each op where it is quickest
};

NodeSums add_up(const Problem& problem, const Items& items, std::span<const DeviceId> devices) {
  NodeSums sums{Rows(items.size(), devices.size()), std::vector<double>(items.size()), 0.0};
  for (const OpId op : problem.graph().ops()) {
    const std::int64_t place = items.position[items.grouping.of(problem, op)];
    if (place < 0) continue;
    const auto node = static_cast<std::size_t>(place);
    sums.resident[node] += static_cast<double>(problem.resident_bytes(op));
    for (std::size_t d = 0; d < devices.size(); ++d)
      sums.seconds.at(node, d) += static_cast<float>(seconds_on(problem, op, devices[d]));
  }
  for (const double work : work_of_items(problem, items)) sums.quickest += work;
  return sums;
}

// Seconds that a tensor of that many bytes takes from a device to the others, in the mean.
double mean_transfer(const Problem& problem, DeviceId from, std::span<const DeviceId> devices, Bytes bytes) {
  double sum = 0.0;
  for (const DeviceId to : devices) {
    for (const std::uint16_t channel : problem.machine().route(from, to))
      sum += to_seconds(problem.transfer_time(bytes, channel));
  }
  return sum / static_cast<double>(std::max<std::size_t>(devices.size() - 1, 1));
}

float bounded_log(double value, double bound = 5.0) {
  return static_cast<float>(std::clamp(std::log(std::max(value, 1e-30)), -bound, bound) / bound);
}

// A device by what it is among the others. `middle`: of the stretch of work that is its own if all is cut in order.
Rows device_features(const Problem& problem, const GoGraph& graph, const NodeSums& sums,
                     std::span<const float> log_share, std::span<const double> middle) {
  const std::size_t count = graph.devices.size(), nodes = graph.items.size();
  Rows rows(count, static_cast<std::size_t>(device_columns()));
  std::vector<double> total(count);
  for (std::size_t v = 0; v < nodes; ++v)
    for (std::size_t d = 0; d < count; ++d) total[d] += static_cast<double>(sums.seconds.at(v, d));
  const double least = total.empty() ? 0.0 : *std::ranges::min_element(total);
  const double need = std::accumulate(sums.resident.begin(), sums.resident.end(), 1.0);
  double crossing = 0.0;
  for (const Items::Edge& edge : graph.items.edges) crossing += static_cast<double>(edge.bytes);
  const auto mean_bytes =
      static_cast<Bytes>(crossing / static_cast<double>(std::max<std::size_t>(graph.items.edges.size(), 1)));
  const double mean_work = sums.quickest / static_cast<double>(std::max<std::size_t>(nodes, 1));
  for (std::size_t d = 0; d < count; ++d) {
    const DeviceId device = graph.devices[d];
    const auto equals = std::ranges::count_if(
        graph.devices, [&](DeviceId other) { return problem.device_class(other) == problem.device_class(device); });
    const double transfer = mean_transfer(problem, device, graph.devices, mean_bytes);
    rows.at(d, 0) = static_cast<float>(total[d] > 0.0 ? least / total[d] : 1.0);
    rows.at(d, 1) = bounded_log(static_cast<double>(problem.machine().capacity(device)) / need);
    rows.at(d, 2) = problem.machine().device(device).kind == DeviceKind::kCpu ? 1.0F : 0.0F;
    rows.at(d, 3) = std::exp(log_share[d]);
    rows.at(d, 4) = log_share[d] / 5.0F;
    rows.at(d, 5) = mean_work > 0.0 && transfer > 0.0 ? bounded_log(transfer / mean_work, 10.0) : -1.0F;
    rows.at(d, 6) = std::log(static_cast<float>(count)) / 3.0F;
    rows.at(d, 7) = std::log(static_cast<float>(equals)) / 3.0F;
    rows.at(d, 8) = static_cast<float>(middle[d]);
    put_waves(static_cast<float>(middle[d]), &rows.at(d, kOwnDeviceColumns));
  }
  return rows;
}

// How far a coordinate is from the device's stretch, in stretches; within it less than a half.
float distance(double coordinate, double middle, double share) {
  return static_cast<float>(std::min(std::abs(coordinate - middle) / std::max(share, 0.02), 3.0));
}

void put_pairs(GoGraph& graph, const Problem& problem, const NodeSums& sums, const Rows& coordinates,
               std::span<const float> log_share, std::span<const double> middle, const Plan* given, at::Device on) {
  const std::size_t nodes = graph.items.size(), count = graph.devices.size();
  Rows pairs(nodes, count * kFixedPairs), forbidden(nodes, count), seconds(nodes, count), fill(nodes, count);
  const std::vector<std::vector<OpId>> ops = ops_of_items(problem, graph.items);
  const double equal_share = std::max(sums.quickest / static_cast<double>(std::max<std::size_t>(count, 1)), 1e-12);
  for (std::size_t v = 0; v < nodes; ++v) {
    DeviceSet allowed = graph.items.grouping.allowed[graph.items.decided[v]];
    if (given != nullptr) allowed = device_bit(given->device(ops[v].front()));
    float least = std::numeric_limits<float>::max();
    bool any = false;
    for (std::size_t d = 0; d < count; ++d) {
      least = std::min(least, sums.seconds.at(v, d));
      any = any || (allowed & device_bit(graph.devices[d])) != 0;
    }
    for (std::size_t d = 0; d < count; ++d) {
      // Where the devices in use leave a node none of its own, its plan falls back by itself.
      if (any && (allowed & device_bit(graph.devices[d])) == 0) forbidden.at(v, d) = static_cast<float>(kForbidden);
      const auto capacity = std::max(static_cast<double>(problem.machine().capacity(graph.devices[d])), 1.0);
      seconds.at(v, d) = static_cast<float>(static_cast<double>(sums.seconds.at(v, d)) / equal_share);
      fill.at(v, d) = static_cast<float>(sums.resident[v] / capacity);
      float* pair = &pairs.at(v, d * kFixedPairs);
      pair[0] = log_share[d];
      pair[1] = least > 0.0F ? std::min(std::log(sums.seconds.at(v, d) / least), 5.0F) : 0.0F;
      pair[2] = std::sqrt(std::min(seconds.at(v, d), 4.0F));
      pair[3] = std::sqrt(std::min(fill.at(v, d), 4.0F));
      for (std::size_t k = 0; k < kCoordinates; ++k)
        pair[kFirstDistance + static_cast<std::int64_t>(k)] =
            distance(coordinates.at(v, k), middle[d], static_cast<double>(std::exp(log_share[d])));
    }
  }
  graph.pairs = as_tensor(pairs)
                    .reshape({static_cast<std::int64_t>(nodes), static_cast<std::int64_t>(count), kFixedPairs})
                    .to(on);
  graph.forbidden = as_tensor(forbidden).to(on);
  graph.seconds = as_tensor(seconds).to(on);
  graph.fill = as_tensor(fill).to(on);
}

void put_devices(GoGraph& graph, const Problem& problem, const NodeSums& sums, std::span<const float> log_share,
                 std::span<const double> middle, at::Device on) {
  const auto count = static_cast<std::int64_t>(graph.devices.size());
  graph.machine = as_tensor(device_features(problem, graph, sums, log_share, middle)).to(on);
  std::vector<std::int64_t> slots;
  for (std::int64_t d = 0; d < count; ++d) slots.push_back(std::min(d, kDeviceSlots - 1));
  graph.slots = tensor_of(slots, {count}).to(on);
  graph.share = tensor_of(log_share, {count}).exp().to(on);
}

}  // namespace

std::int64_t device_columns() { return static_cast<std::int64_t>(kOwnDeviceColumns + kWaveColumns); }

GoGraph make_go_graph(const Problem& problem, std::size_t most_nodes, const Plan* given, at::Device device) {
  GoGraph graph;
  Grouping grouping = one_group_per_unit(problem);
  if (most_nodes > 0) grouping = heavy_grouping(problem, join_views(problem, grouping), most_nodes);
  graph.items = make_items(problem, std::move(grouping), Decided::kAll);
  graph.devices = devices_to_use(problem, graph.items);
  graph.before = neighbours_of(graph.items, true);
  graph.after = neighbours_of(graph.items, false);
  graph.from_before = mixing_of(graph.items, true, device);
  graph.from_after = mixing_of(graph.items, false, device);
  const Rows coordinates = node_coordinates(problem, graph.items);
  graph.coordinates = as_tensor(coordinates).to(device);
  graph.nodes = as_tensor(node_features(problem, graph.items, coordinates)).to(device);
  const NodeSums sums = add_up(problem, graph.items, graph.devices);
  const std::vector<float> log_share = log_start_shares(problem, graph.devices);
  std::vector<double> middle;
  double before = 0.0;
  for (const float log : log_share) {
    const double share = std::exp(static_cast<double>(log));
    middle.push_back(before + share / 2.0);
    before += share;
  }
  put_devices(graph, problem, sums, log_share, middle, device);
  put_pairs(graph, problem, sums, coordinates, log_share, middle, given, device);
  return graph;
}

}  // namespace berth::learn
