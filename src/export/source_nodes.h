// SPDX-License-Identifier: Apache-2.0
// Devices for the nodes of a model's file, of which a plan knows only those that became ops: constants and what is
// computed of them alone were folded away, and what only passes values on has no op either. And the stages in which
// these nodes run.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace berth {

struct SourceNode {
  std::vector<std::uint32_t> inputs = {};  // nodes that make what it reads
  bool reads_input = false;                // an input of the model, or a variable
  DeviceId device = kNoDevice;             // as the plan says; kNoDevice: it has no op
};

struct PlacedNodes {
  std::vector<std::uint32_t> order;  // topological
  std::vector<bool> is_constant;     // per node: no op, and depends on no input of the model
  std::vector<DeviceId> device_of;   // per node; kNoDevice only if nothing around it is placed
};

// A constant goes with the first node that reads it, directly or by way of other constants; any other node without an
// op with the first that it reads from, else with the first that reads it.
PlacedNodes place_source_nodes(const std::vector<SourceNode>& nodes);

// Stages: a placement cut into pieces that run one after the other, each on one device and as a whole. A device has
// several where its work depends on itself by way of another device.
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
