// SPDX-License-Identifier: Apache-2.0
// DelayGraph: what bounds need of a problem. A node is an op with its time per class of equal devices; an edge says how
// long its end must wait after its beginning if both are on one device, and if they are not: for the tensor, over the
// fastest way of the machine, without a queue. Nothing here depends on a plan, so it holds for all of them.
//
// Turned around it is the same problem seen from the end of the step: ways out become ways in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"
#include "problem/problem.h"

namespace berth {

using NodeId = std::uint32_t;

struct Delay {
  NodeId node;              // the other end
  Picoseconds same, apart;  // both ends on one device, or on two
  // What of `apart` the port of the sender is busy with nothing else, where every device sends all through one port; a
  // tensor is sent once to every device that reads it.
  Picoseconds port = 0;
};

struct DelayEdges {
  std::vector<std::uint32_t> begin{0};
  std::vector<Delay> delays;

  [[nodiscard]] std::span<const Delay> of(NodeId node) const {
    return {delays.data() + begin[node], delays.data() + begin[node + 1]};
  }
};

struct DelayGraph {
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max() / 4;

  struct DeviceClass {
    std::uint32_t devices = 0;
    Picoseconds lanes = 1;  // of the device that has most
  };
  std::vector<DeviceClass> classes;
  std::vector<Picoseconds> times;      // [node * classes + class]; kNever where it may not be
  std::vector<std::uint32_t> unit_of;  // nodes of one unit share a device
  std::vector<NodeId> order;           // topological
  bool is_turned = false;              // what a node waits for is sent by the node
  DelayEdges before, after;            // what a node waits for, what waits for it

  [[nodiscard]] std::size_t size() const { return unit_of.size(); }
  [[nodiscard]] std::size_t cell(NodeId node, std::size_t device_class) const {
    return node * classes.size() + device_class;
  }
  [[nodiscard]] Picoseconds time(NodeId node, std::size_t device_class) const {
    return times[cell(node, device_class)];
  }
  [[nodiscard]] Picoseconds least_time(NodeId node) const;
};

// With fusion allowed an op takes what fusion cannot save (Problem::compute_part): the members of a fused group can be
// thought of as running one after the other while the group does, and nothing of theirs leaves it earlier.
DelayGraph delay_graph(const Problem& problem, bool fusion_allowed);
DelayGraph turned_around(DelayGraph graph);

// Per node and class, how early it can begin there, at least `floors`: the longest way in, every op of it on the device
// that suits the way best. Empty floors: 0.
using Ways = std::vector<Picoseconds>;  // [node * classes + class]
Ways ways_in(const DelayGraph& graph, Ways floors = {});

// The least over the classes of ways + time: how early anybody can have the node's result.
Picoseconds earliest_end(const DelayGraph& graph, const Ways& ways, NodeId node);
Picoseconds earliest_start(const DelayGraph& graph, const Ways& ways, NodeId node);

// Of a node on that class, given how early everything before it can begin.
Picoseconds earliest_start(const DelayGraph& graph, const Ways& ways, NodeId node, std::size_t device_class);

}  // namespace berth
