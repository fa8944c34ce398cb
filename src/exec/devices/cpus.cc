// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/cpus.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <mutex>
#include <vector>

#if BERTH_HWLOC
#include <hwloc.h>
#endif

namespace berth::exec {
namespace {

// A container may have been given the cores 4 and 7: those are our 0 and 1.
const std::vector<int>& cores_at_start() {
  static const std::vector<int> cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    std::vector<int> found;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) found.push_back(core);
    }
    return found;
  }();
  return cores;
}

}  // namespace

#if BERTH_HWLOC

Topology topology_here() {
  Topology found;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return found;
  if (hwloc_topology_load(topology) == 0) {
    found.packages = std::max(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE), 0);
    found.cores = std::max(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE), 0);
    found.numa_nodes = std::max(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), 0);
    for (const hwloc_obj_type_t level : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
      const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0);
      if (cache == nullptr) continue;
      found.last_level_cache = static_cast<Bytes>(cache->attr->cache.size);
      break;
    }
    if (const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0); package != nullptr) {
      const char* model = hwloc_obj_get_info_by_name(package, "CPUModel");
      if (model != nullptr) found.cpu_model = model;
    }
  }
  hwloc_topology_destroy(topology);
  return found;
}

#else

Topology topology_here() { return {}; }

#endif

std::string describe(const Topology& topology) {
  if (topology.cores == 0) return "topology not known (built without hwloc)";
  const auto some = [](int count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return fmt::format("{}{}{}, {}, {} of last-level cache, {}", topology.cpu_model,
                     topology.cpu_model.empty() ? "" : ": ", some(topology.packages, "package"),
                     some(topology.cores, "core"), format_bytes(topology.last_level_cache),
                     some(topology.numa_nodes, "memory node"));
}

void use_cores(std::span<const int> cores, int threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::vector<int>& all = cores_at_start();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core < static_cast<int>(all.size())) CPU_SET(all[static_cast<std::size_t>(core)], &set);
  }
  if (cores.empty()) {
    for (const int core : all) CPU_SET(core, &set);
  }
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
  // ATen sets up a thread's number from a shared one when it is first asked; ours must come after that.
  (void)at::get_num_threads();
  at::set_num_threads(threads > 0 ? threads : std::max(1, CPU_COUNT(&set)));
}

std::vector<int> cores_besides(std::span<const int> cores) {
  std::vector<int> others;
  for (int core = 0; core < static_cast<int>(cores_at_start().size()); ++core) {
    if (std::ranges::find(cores, core) == cores.end()) others.push_back(core);
  }
  return others;
}

}  // namespace berth::exec
