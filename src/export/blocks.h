// SPDX-License-Identifier: Apache-2.0
// The coarse graph: ops joined into blocks of one module on one device, for pictures.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem.h"

namespace berth {

struct Block {
  std::string name;  // of its module; without modules, of its first op
  DeviceId device = kNoDevice;
  std::size_t ops = 0;  // of all roles
  Picoseconds time = 0;
  Bytes resident = 0;
};

struct CoarseGraph {
  std::vector<Block> blocks;                                       // in the order of the graph
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes> edges;  // bytes from block to block, each tensor once
};

// At most `most` blocks, if modules allow it: paths of modules are cut shorter until they do. Ops without a module (and
// weights) join the block that reads them, or else makes what they read.
CoarseGraph coarse_graph(const Problem& problem, const Plan& plan, std::size_t most);

}  // namespace berth
