// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/sequence_bound.h"

#include <algorithm>
#include <optional>

#include "machine/device_set.h"
#include "sim/engine/flat_graph.h"
#include "sim/sequential/regions.h"

namespace berth {
namespace {

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

}  // namespace

Picoseconds sequence_bound(const Problem& problem, bool fusion_allowed) {
  Picoseconds sum = 0;
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) sum += fastest_time(problem, unit, fusion_allowed);
  const std::size_t parts = fewest_regions(problem);
  const std::size_t regions = fusion_allowed ? std::min<std::size_t>(parts, 1) : parts;
  return sum + static_cast<Picoseconds>(regions) * problem.region_cost();
}

}  // namespace berth
