// SPDX-License-Identifier: Apache-2.0
// What hwloc says about this computer.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace berth::exec {

struct Topology {
  std::string cpu_model;        // "Intel(R) Xeon(R) ...", empty if unknown
  int packages = 0, cores = 0;  // 0: unknown
  Bytes last_level_cache = 0;
  int numa_nodes = 0;
};

Topology topology_here();

// "1 package, 16 cores, 32 MiB of cache, 1 memory node"
std::string describe(const Topology& topology);

}  // namespace berth::exec
