// SPDX-License-Identifier: Apache-2.0
// Devices for the nodes of a model's file, of which a plan knows only those that became ops: constants and what is
// computed of them alone were folded away, and what only passes values on has no op either.
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

}  // namespace berth
