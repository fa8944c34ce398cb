// SPDX-License-Identifier: Apache-2.0
// The CPUs of this computer: what hwloc says of them, and which of their cores a thread runs on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace berth::exec {

// As hwloc has it.
struct Topology {
  std::string cpu_model;        // "Intel(R) Xeon(R) ...", empty if unknown
  int packages = 0, cores = 0;  // 0: unknown
  Bytes last_level_cache = 0;
  int numa_nodes = 0;
};

Topology topology_here();

// "1 package, 16 cores, 32 MiB of cache, 1 memory node"
std::string describe(const Topology& topology);

// Binds the calling thread to these cores (numbers among those the process had at its start; none: all of them), and
// lets ATen use that many threads under it, which inherit the binding (0: one per core).
void use_cores(std::span<const int> cores, int threads = 0);

// The cores that are not among these, by the same numbers.
std::vector<int> cores_besides(std::span<const int> cores);

}  // namespace berth::exec
