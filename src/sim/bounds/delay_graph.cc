// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/delay_graph.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "machine/device_set.h"

namespace berth {
namespace {

// The least time of a tensor between any two devices.
class FastestWay {
 public:
  explicit FastestWay(const Problem& problem) : problem_(problem), has_ports_(has_ports(problem.machine())) {
    const Machine& machine = problem.machine();
    std::set<std::vector<std::pair<double, double>>> seen;
    for (const DeviceId from : machine.device_ids()) {
      for (const DeviceId to : machine.device_ids()) {
        if (from == to) continue;
        std::vector<std::pair<double, double>> figures;
        for (const std::uint16_t channel : machine.route(from, to)) {
          figures.emplace_back(machine.channels()[channel].latency_s, machine.channels()[channel].bytes_per_s);
        }
        if (seen.insert(std::move(figures)).second) routes_.push_back(machine.route(from, to));
        signal_ = std::min(signal_, problem.control_latency(from, to));
      }
    }
  }

  [[nodiscard]] Picoseconds of_signal() const { return routes_.empty() ? 0 : signal_; }  // of a control edge

  struct Times {
    Picoseconds whole = 0, port = 0;  // the whole way, and its first link if every device has but one
  };
  [[nodiscard]] Times of(Bytes bytes) {
    const auto [known, is_new] = known_.try_emplace(bytes);
    if (!is_new || routes_.empty()) return known->second;
    Times least{DelayGraph::kNever, has_ports_ ? DelayGraph::kNever : 0};
    for (const auto route : routes_) {
      Picoseconds time = 0;
      for (const std::uint16_t channel : route) time += problem_.transfer_time(bytes, channel);
      least = {std::min(least.whole, time), std::min(least.port, problem_.transfer_time(bytes, route.front()))};
    }
    return known->second = least;
  }

 private:
  // Whether whatever a device sends passes one queue first.
  static bool has_ports(const Machine& machine) {
    for (const DeviceId from : machine.device_ids()) {
      int port = -1;
      for (const DeviceId to : machine.device_ids()) {
        if (from == to) continue;
        const int queue = machine.channels()[machine.route(from, to).front()].queue;
        if (queue < 0 || (port >= 0 && port != queue)) return false;
        port = queue;
      }
    }
    return true;
  }

  const Problem& problem_;
  const bool has_ports_;
  std::vector<std::span<const std::uint16_t>> routes_;  // one of each kind
  Picoseconds signal_ = DelayGraph::kNever;
  std::unordered_map<Bytes, Times> known_;
};

void add_classes(const Problem& problem, DelayGraph& graph) {
  graph.classes.resize(static_cast<std::size_t>(problem.num_device_classes()));
  for (const DeviceId id : problem.machine().device_ids()) {
    auto& device_class = graph.classes[static_cast<std::size_t>(problem.device_class(id))];
    ++device_class.devices;
    device_class.lanes = std::max<Picoseconds>(device_class.lanes, problem.machine().device(id).lanes);
  }
}

void add_times(const Problem& problem, bool fusion_allowed, DelayGraph& graph) {
  graph.times.assign(problem.graph().num_ops() * graph.classes.size(), DelayGraph::kNever);
  for (const OpId op : problem.graph().ops()) {
    for (DeviceSet left = problem.allowed(op); left != 0; left &= left - 1) {
      const DeviceId device = lowest_device(left);
      const auto device_class = static_cast<std::size_t>(problem.device_class(device));
      graph.times[graph.cell(static_cast<NodeId>(op), device_class)] =
          fusion_allowed ? problem.compute_part(op, device) : problem.duration(op, device);
    }
    graph.unit_of.push_back(problem.unit(op));
  }
}

// Whether a tensor is there from the start wherever the reader is, for all a bound knows.
bool is_everywhere(const Problem& problem, OpId op) {
  const Role role = problem.graph().role(op);
  return (is_resident(role) || role == Role::kInput) && problem.allowed(op) == all_devices(problem.machine());
}

void add_edges_into(const Problem& problem, OpId op, FastestWay& way, DelayEdges& edges) {
  const Graph& graph = problem.graph();
  const std::size_t first = edges.delays.size();
  for (const TensorId tensor : graph.distinct_inputs(op)) {  // in the order of their producers
    const OpId producer = graph.producer(tensor);
    if (is_everywhere(problem, producer)) continue;
    const auto [apart, port] = way.of(graph.bytes(tensor));
    if (edges.delays.size() > first && edges.delays.back().node == static_cast<NodeId>(producer)) {
      Delay& delay = edges.delays.back();
      delay = {delay.node, 0, std::max(delay.apart, apart), std::max(delay.port, port)};
    } else {
      edges.delays.push_back({static_cast<NodeId>(producer), 0, apart, port});
    }
  }
  for (const OpId from : graph.control_inputs(op))
    edges.delays.push_back({static_cast<NodeId>(from), 0, way.of_signal()});
  edges.begin.push_back(static_cast<std::uint32_t>(edges.delays.size()));
}

DelayEdges turned(const DelayEdges& edges) {
  DelayEdges other;
  const std::size_t nodes = edges.begin.size() - 1;
  other.begin.assign(nodes + 1, 0);
  for (const Delay& delay : edges.delays) ++other.begin[delay.node + 1];
  for (std::size_t i = 1; i <= nodes; ++i) other.begin[i] += other.begin[i - 1];
  std::vector<std::uint32_t> next(other.begin.begin(), other.begin.end() - 1);
  other.delays.resize(edges.delays.size());
  for (NodeId node = 0; node < nodes; ++node) {
    for (const Delay& delay : edges.of(node)) {
      other.delays[next[delay.node]] = delay;
      other.delays[next[delay.node]++].node = node;
    }
  }
  return other;
}

}  // namespace

Picoseconds DelayGraph::least_time(NodeId node) const {
  const auto first = times.begin() + static_cast<std::ptrdiff_t>(cell(node, 0));
  return *std::min_element(first, first + static_cast<std::ptrdiff_t>(classes.size()));
}

DelayGraph delay_graph(const Problem& problem, bool fusion_allowed) {
  DelayGraph graph;
  add_classes(problem, graph);
  add_times(problem, fusion_allowed, graph);
  FastestWay way(problem);
  graph.before.delays.reserve(problem.graph().num_edges());
  for (const OpId op : problem.graph().ops()) add_edges_into(problem, op, way, graph.before);
  graph.after = turned(graph.before);
  for (const OpId op : problem.graph().topological_order()) graph.order.push_back(static_cast<NodeId>(op));
  return graph;
}

DelayGraph turned_around(DelayGraph graph) {
  std::swap(graph.before, graph.after);
  std::reverse(graph.order.begin(), graph.order.end());
  graph.is_turned = !graph.is_turned;
  return graph;
}

Picoseconds earliest_start(const DelayGraph& graph, const Ways& ways, NodeId node, std::size_t device_class) {
  Picoseconds start = 0;
  for (const Delay& delay : graph.before.of(node)) {
    const std::size_t here = graph.cell(delay.node, device_class);
    Picoseconds arrival = DelayGraph::kNever;
    if (graph.times[here] < DelayGraph::kNever) arrival = ways[here] + graph.times[here] + delay.same;
    if (graph.unit_of[delay.node] != graph.unit_of[node])
      arrival = std::min(arrival, earliest_end(graph, ways, delay.node) + delay.apart);
    start = std::max(start, arrival);
  }
  return start;
}

Ways ways_in(const DelayGraph& graph, Ways floors) {
  floors.resize(graph.times.size(), 0);
  for (const NodeId node : graph.order) {
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
      if (graph.time(node, c) == DelayGraph::kNever) continue;
      Picoseconds& way = floors[graph.cell(node, c)];
      way = std::max(way, earliest_start(graph, floors, node, c));
    }
  }
  return floors;
}

Picoseconds earliest_end(const DelayGraph& graph, const Ways& ways, NodeId node) {
  Picoseconds least = DelayGraph::kNever;
  for (std::size_t cell = graph.cell(node, 0); cell < graph.cell(node + 1, 0); ++cell) {
    if (graph.times[cell] < DelayGraph::kNever) least = std::min(least, ways[cell] + graph.times[cell]);
  }
  return least;
}

Picoseconds earliest_start(const DelayGraph& graph, const Ways& ways, NodeId node) {
  Picoseconds least = DelayGraph::kNever;
  for (std::size_t cell = graph.cell(node, 0); cell < graph.cell(node + 1, 0); ++cell) {
    if (graph.times[cell] < DelayGraph::kNever) least = std::min(least, ways[cell]);
  }
  return least;
}

}  // namespace berth
