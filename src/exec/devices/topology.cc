// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/topology.h"

#include <fmt/format.h>

#include <algorithm>

#if BERTH_HWLOC
#include <hwloc.h>
#endif

namespace berth::exec {

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

}  // namespace berth::exec
