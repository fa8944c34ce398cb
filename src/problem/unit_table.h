// SPDX-License-Identifier: Apache-2.0
// UnitTable: ops that must share a device, by the graph's colocation groups and the user's constraints, form a unit;
// the table says which, and on which devices each unit may be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "machine/machine.h"
#include "problem/constraints.h"

namespace berth {

struct UnitTable {
  std::vector<std::uint32_t> of;     // indexed by OpId; units are numbered by their lowest op
  std::vector<OpId> ops;             // unit by unit, ascending
  std::vector<std::uint32_t> begin;  // of each unit's ops, and the end of the last
  std::vector<DeviceSet> allowed;    // indexed by unit; 0: no device is left

  [[nodiscard]] std::size_t size() const { return allowed.size(); }
  [[nodiscard]] std::span<const OpId> ops_of(std::uint32_t unit) const {
    return {ops.data() + begin[unit], ops.data() + begin[unit + 1]};
  }
};

// `runnable` says per op where it can run, whatever the constraints say. Ids in the constraints must exist. Without
// `graph_groups` the graph's own colocation is left out, to see what rests on it.
UnitTable make_unit_table(const Graph& graph, const Machine& machine, const Constraints& constraints,
                          std::span<const DeviceSet> runnable, bool graph_groups = true);

}  // namespace berth
