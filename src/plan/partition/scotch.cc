// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/scotch.h"

#include <algorithm>
#include <cmath>

#include "plan/partition/best_cut.h"
#include "plan/partition/scotch_map.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr double kFullCapacity = 1000.0;          // of the fastest target
constexpr Bytes kTypicalTensor = Bytes{1} << 20;  // routes are compared by the time it takes

// Distances in halves of the shortest route, and never so long that costs overflow.
std::vector<std::int32_t> target_distances(const Problem& problem, const std::vector<DeviceId>& targets) {
  std::vector<double> times;
  for (const DeviceId from : targets) {
    for (const DeviceId to : targets) {
      const Picoseconds both_ways = unloaded_transfer_time(problem, kTypicalTensor, from, to) +
                                    unloaded_transfer_time(problem, kTypicalTensor, to, from);
      times.push_back(static_cast<double>(both_ways));
    }
  }
  double shortest = 0.0;
  for (const double time : times) {
    if (time > 0.0 && (shortest == 0.0 || time < shortest)) shortest = time;
  }
  std::vector<std::int32_t> distances;
  for (const double time : times) {
    const double halves = shortest > 0.0 ? std::round(2.0 * time / shortest) : 1.0;
    distances.push_back(static_cast<std::int32_t>(std::clamp(halves, 1.0, static_cast<double>(kMaxDistance))));
  }
  return distances;
}

TargetMachine target_machine(const Problem& problem, const std::vector<DeviceId>& targets) {
  TargetMachine machine;
  for (const double speed : target_speeds(problem, targets)) {
    machine.capacity.push_back(std::max(1, static_cast<std::int32_t>(std::lround(kFullCapacity * speed))));
  }
  machine.distance = target_distances(problem, targets);
  return machine;
}

// The workers, and the CPUs as far as a limit on devices leaves room.
std::vector<DeviceId> workers_and_cpus(const Problem& problem) {
  std::vector<DeviceId> targets = worker_devices(problem);
  const auto limit =
      static_cast<std::size_t>(problem.constraints().max_devices.value_or(static_cast<int>(kMaxDevices)));
  for (const DeviceId device : problem.machine().device_ids()) {
    if (targets.size() < limit && std::ranges::find(targets, device) == targets.end()) targets.push_back(device);
  }
  return targets;
}

Result<Plan> map_onto(Search& search, const std::vector<DeviceId>& targets, std::string_view planner) {
  const TargetMachine machine = target_machine(search.problem(), targets);
  const auto seed = static_cast<std::int32_t>(search.budget().seed % 1'000'000'007);
  std::vector<CutMethod> methods;
  for (const bool refined : {false, true}) {
    for (const double imbalance : {0.05, 0.01, 0.2, 0.5}) {
      methods.push_back({fmt::format("{:.0f} % imbalance{}", 100 * imbalance, refined ? ", refined" : ""),
                         [=, &machine](const CutGraph& graph) {
                           return map_with_scotch(graph, machine, {imbalance, !refined, seed});
                         }});
    }
  }
  return best_cut(search, targets, methods, planner);
}

}  // namespace

Result<Plan> ScotchPlanner::plan(Search& search) {
  return map_onto(search, workers_and_cpus(search.problem()), "scotch");
}

Result<Plan> MincutPlanner::plan(Search& search) {
  return map_onto(search, worker_devices(search.problem()), "mincut");
}

}  // namespace berth
