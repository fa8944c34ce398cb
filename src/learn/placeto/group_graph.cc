// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/group_graph.h"

#include <algorithm>
#include <cmath>

#include "plan/search/placement.h"

namespace berth::learn {
namespace {

constexpr double kSmall = 1024.0, kLarge = 16.0 * 1024 * 1024;  // bytes whose times give latency and bandwidth

std::vector<Reach::Edge> edges_in_order(const Items& items) {
  std::vector<Reach::Edge> edges;
  edges.reserve(items.edges.size());
  for (const Items::Edge& edge : items.edges)
    edges.push_back({std::min(edge.from, edge.to), std::max(edge.from, edge.to)});
  return edges;
}

double route_s(const Problem& problem, DeviceId from, DeviceId to, double bytes) {
  Picoseconds time = 0;
  for (const std::uint16_t channel : problem.machine().route(from, to))
    time += problem.transfer_time(static_cast<Bytes>(bytes), channel);
  return to_seconds(time);
}

void read_links(GroupGraph& graph) {
  for (std::size_t i = 0; i < graph.num_devices(); ++i) {
    for (std::size_t j = 0; j < graph.num_devices(); ++j) {
      if (i == j) continue;
      const double small = route_s(graph.problem, graph.devices[i], graph.devices[j], kSmall);
      const double large = route_s(graph.problem, graph.devices[i], graph.devices[j], kLarge);
      const double slope = std::max(large - small, 0.0) / (kLarge - kSmall);
      graph.s_per_byte.at(i, j) = static_cast<float>(slope);
      graph.latency_s.at(i, j) = static_cast<float>(std::max(small - slope * kSmall, 0.0));
    }
  }
}

void read_costs(GroupGraph& graph) {
  const Problem& problem = graph.problem;
  for (std::size_t group = 0; group < graph.size(); ++group) {
    const DeviceSet set = graph.items.grouping.allowed[graph.items.decided[group]];
    // Of devices that a limit leaves, perhaps none: then the plan falls back on one it may be on, whatever is chosen.
    const bool any = (set & set_of(graph.devices)) != 0;
    for (std::size_t device = 0; device < graph.num_devices(); ++device) {
      graph.allowed[group * graph.num_devices() + device] = !any || (set & device_bit(graph.devices[device])) != 0;
      double seconds = 0.0;
      for (const OpId op : graph.ops[group]) seconds += seconds_on(problem, op, graph.devices[device]);
      graph.seconds.at(group, device) = static_cast<float>(seconds);
    }
    for (const OpId op : graph.ops[group]) {
      graph.bytes[group] += static_cast<double>(problem.resident_bytes(op));
      for (const TensorId tensor : problem.graph().outputs(op))
        graph.bytes[group] += static_cast<double>(problem.graph().bytes(tensor));
    }
    double quickest = -1.0;
    for (std::size_t device = 0; device < graph.num_devices(); ++device) {
      const auto seconds = static_cast<double>(graph.seconds.at(group, device));
      if (graph.may_be_on(group, device) && (quickest < 0.0 || seconds < quickest)) quickest = seconds;
    }
    graph.quickest_s[group] = std::max(quickest, 0.0);
    graph.total_s += graph.quickest_s[group];
  }
}

void read_edges(GroupGraph& graph) {
  // Both directions between two groups count as one neighbour.
  const auto add = [](std::vector<GroupGraph::Neighbour>& list, std::uint32_t group, double bytes) {
    const auto found = std::ranges::find(list, group, &GroupGraph::Neighbour::group);
    if (found != list.end()) {
      found->bytes += bytes;
    } else {
      list.push_back({group, bytes});
    }
  };
  for (const Items::Edge& edge : graph.items.edges) {
    const auto [first, second] = std::minmax(edge.from, edge.to);
    const auto bytes = static_cast<double>(edge.bytes);
    add(graph.later[first], second, bytes);
    add(graph.earlier[second], first, bytes);
    graph.out_bytes[edge.from] += bytes;
  }
}

}  // namespace

GroupGraph::GroupGraph(const Problem& of_problem, Grouping grouping)
    : problem(of_problem),
      items(make_items(problem, std::move(grouping))),
      devices(devices_to_use(problem, items)),
      ops(ops_of_items(problem, items)),
      allowed(items.size() * devices.size()),
      seconds(items.size(), devices.size()),
      quickest_s(items.size()),
      bytes(items.size()),
      out_bytes(items.size()),
      earlier(items.size()),
      later(items.size()),
      reach(items.size(), edges_in_order(items)),
      latency_s(devices.size(), devices.size()),
      s_per_byte(devices.size(), devices.size()) {
  for (const DeviceId device : devices)
    capacity.push_back(std::max(static_cast<double>(problem.machine().capacity(device)), 1.0));
  read_links(*this);
  read_costs(*this);
  read_edges(*this);
}

Plan plan_of(const GroupGraph& graph, std::span<const std::uint8_t> device_of) {
  std::vector<DeviceId> devices;
  for (const std::uint8_t device : device_of) devices.push_back(graph.devices[device]);
  return plan_of_items(graph.problem, graph.items, devices);
}

void move_group(const GroupGraph& graph, std::size_t group, std::uint8_t device, Plan& plan) {
  for (const OpId op : graph.ops[group])
    plan.device_of[index(op)] = allowed_or_fallback(graph.problem, graph.problem.unit(op), graph.devices[device]);
}

std::vector<std::uint8_t> devices_in(const GroupGraph& graph, const Plan& plan) {
  std::vector<std::uint8_t> device_of(graph.size());
  for (std::size_t group = 0; group < graph.size(); ++group) {
    std::size_t fallback = 0;
    while (!graph.may_be_on(group, fallback)) ++fallback;
    device_of[group] = static_cast<std::uint8_t>(fallback);
    for (const OpId op : graph.ops[group]) {
      const auto found = std::ranges::find(graph.devices, plan.device(op));
      const auto place = static_cast<std::size_t>(found - graph.devices.begin());
      if (found == graph.devices.end() || !graph.may_be_on(group, place)) continue;
      device_of[group] = static_cast<std::uint8_t>(place);
      break;
    }
  }
  return device_of;
}

}  // namespace berth::learn
