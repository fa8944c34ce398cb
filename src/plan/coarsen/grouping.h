// SPDX-License-Identifier: Apache-2.0
// Grouping: units joined into groups that a planner places as one. Each pass takes a grouping and returns a coarser
// one, so passes combine: join_heavy_tensors(problem, join_views(problem, one_group_per_unit(problem)), limits).
//
// A group always has a device that all its units may be on, and no pass takes a device away from work: what takes time
// may still run wherever it could. Groups need not be convex: they share a device, not a slot in the schedule. Groups
// are numbered by their lowest unit.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace berth {

struct Grouping {
  std::vector<std::uint32_t> of_unit;  // group of every unit
  std::vector<DeviceSet> allowed;      // per group, never empty

  [[nodiscard]] std::size_t size() const { return allowed.size(); }
  [[nodiscard]] std::uint32_t of(const Problem& problem, OpId op) const { return of_unit[problem.unit(op)]; }
};

// How large a joined group may become; a group that is larger already stays as it is.
struct GroupLimits {
  Picoseconds work = std::numeric_limits<Picoseconds>::max();  // every op on its fastest allowed device
  Bytes resident = std::numeric_limits<Bytes>::max();          // parameters and the like
  const Plan* within = nullptr;  // join only what this plan has on one device; it must honour the grouping
};

// Colocation alone: what must share a device.
Grouping one_group_per_unit(const Problem& problem);

// Views join what they look at: they take no time there, and what they show is sent from there.
Grouping join_views(const Problem& problem, const Grouping& finer);

// A gradient op joins its forward op, where the graph names it (Graph::forward_of).
Grouping join_gradients(const Problem& problem, const Grouping& finer, const GroupLimits& limits = {});

// Co-placement (Baechi): an op all of whose outputs go to one other group joins that group, to a fixed point. Takes in
// views, element-wise tails and parameters with a single reader.
Grouping join_only_consumers(const Problem& problem, const Grouping& finer, const GroupLimits& limits = {});

// Producer and consumers join along the heaviest tensors first, as long as the limits hold. Ties in topological order.
Grouping join_heavy_tensors(const Problem& problem, const Grouping& finer, const GroupLimits& limits);

// Ops of one label join: of_op gives every op's label, as Layers::of_op does.
Grouping join_equal_labels(const Problem& problem, const Grouping& finer, std::span<const std::uint32_t> of_op,
                           const GroupLimits& limits = {});

// What a group amounts to, for planners that weigh groups.
struct GroupWeights {
  std::vector<Picoseconds> work;  // per group, every op on its fastest allowed device
  std::vector<Bytes> resident;
};
GroupWeights weigh_groups(const Problem& problem, const Grouping& grouping);

// Bytes per group if everything it makes stayed alive: parameters and the like, and all outputs that take storage.
std::vector<Bytes> bytes_of_groups(const Problem& problem, const Grouping& grouping);

// Units of every group: units[begin[g] .. begin[g + 1]).
struct GroupMembers {
  std::vector<std::uint32_t> begin, units;
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t group) const {
    return {units.data() + begin[group], units.data() + begin[group + 1]};
  }
};
GroupMembers list_members(const Grouping& grouping);

// Every group on its device, which must be allowed for it.
Plan plan_from_groups(const Problem& problem, const Grouping& grouping, std::span<const DeviceId> device_of_group);

}  // namespace berth
