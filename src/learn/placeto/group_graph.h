// SPDX-License-Identifier: Apache-2.0
// GroupGraph: the groups of a problem as Placeto sees them, in plain numbers that never change: what a group costs on
// every device, what it exchanges with whom, who comes before and after whom.
//
// Groups are numbered in topological order of their first ops. They need not be convex: a layer and its gradients are
// one group, so that the graph of groups has cycles, and in a training step every group would be everybody's ancestor
// and descendant. Edges against the order of the groups are therefore taken as if they went along with it.
#pragma once

#include <memory>
#include <vector>

#include "learn/features/features.h"
#include "learn/features/items.h"
#include "learn/placeto/reach.h"

namespace berth::learn {

struct GroupGraph {
  struct Neighbour {
    std::uint32_t group;
    double bytes;
  };

  GroupGraph(const Problem& problem, Grouping grouping);

  [[nodiscard]] std::size_t size() const { return items.size(); }
  [[nodiscard]] std::size_t num_devices() const { return devices.size(); }
  [[nodiscard]] bool may_be_on(std::size_t group, std::size_t device) const {
    return allowed[group * devices.size() + device];
  }
  // Seconds to send so many bytes from one device to another, links idle; 0 to itself.
  [[nodiscard]] double transfer_s(std::size_t from, std::size_t to, double size) const {
    return from == to ? 0.0 : latency_s.at(from, to) + size * s_per_byte.at(from, to);
  }

  const Problem& problem;
  Items items;
  std::vector<DeviceId> devices;         // those that a group can be on; devices below are places in this list
  std::vector<std::vector<OpId>> ops;    // of every group
  std::vector<bool> allowed;             // [group][device]
  Rows seconds;                          // [group][device]: all its ops there, one after the other
  std::vector<double> quickest_s;        // of every group, on the best device it may be on
  std::vector<double> bytes, out_bytes;  // of every group: all it holds; what it sends to other groups
  std::vector<std::vector<Neighbour>> earlier, later;
  Reach reach;
  Rows latency_s, s_per_byte;    // [device][device]
  std::vector<double> capacity;  // bytes of every device
  double total_s = 0.0;          // quickest_s added up
};

// Each group on its device; `device_of` has places in GroupGraph::devices.
Plan plan_of(const GroupGraph& graph, std::span<const std::uint8_t> device_of);
// Moves one group of such a plan.
void move_group(const GroupGraph& graph, std::size_t group, std::uint8_t device, Plan& plan);
// The other way round, for a plan of any origin: where the first op of each group is, if the group may be there.
std::vector<std::uint8_t> devices_in(const GroupGraph& graph, const Plan& plan);

}  // namespace berth::learn
