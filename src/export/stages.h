// SPDX-License-Identifier: Apache-2.0
// Stages: a placement cut into pieces that run one after the other, each on one device and as a whole. A device has
// several where its work depends on itself by way of another device.
#pragma once

#include <vector>

#include "export/source_nodes.h"

namespace berth {

struct Stage {
  DeviceId device = kNoDevice;
  std::vector<std::uint32_t> nodes = {};  // in topological order
};

// Stages in an order in which they can run. Constants are in none: they belong to whoever reads them. Every node that
// is no constant must have a device and must not depend on itself.
//
// Greedy: take all that can run on one device without leaving it; of the devices one that is done then, else the one
// that gets furthest. So a plan in contiguous blocks has one stage per device.
std::vector<Stage> make_stages(const std::vector<SourceNode>& nodes, const PlacedNodes& placed);

}  // namespace berth
