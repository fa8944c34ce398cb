// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/metis.h"

#include <algorithm>
#include <numeric>

#include "plan/partition/best_cut.h"
#include "plan/partition/metis_cut.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr double kLeastMemoryImbalance = 0.05;
constexpr double kMostMemoryImbalance = 20.0;
constexpr double kLeastShare = 1e-3;  // METIS takes no part that wants nothing

void make_shares(std::vector<double>& amounts) {
  const double most = std::ranges::max(amounts);
  for (double& amount : amounts) amount = std::max(amount, most * kLeastShare);
  const double total = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  for (double& amount : amounts) amount = total > 0.0 ? amount / total : 1.0 / static_cast<double>(amounts.size());
}

// Devices of one pool have equal parts of it.
std::vector<double> memory_of_targets(const Problem& problem, const std::vector<DeviceId>& targets) {
  const Machine& machine = problem.machine();
  std::vector<double> memory;
  for (const DeviceId device : targets) {
    const int pool = machine.pool_of(device);
    const auto sharing = std::ranges::count_if(
        targets, [&](DeviceId other) { return other == device || (pool >= 0 && machine.pool_of(other) == pool); });
    memory.push_back(static_cast<double>(problem.capacity(device)) / static_cast<double>(sharing));
  }
  return memory;
}

// How far above its share a part may be before it is full.
double memory_imbalance(const CutGraph& graph, double capacity) {
  if (graph.memory_bytes <= 0.0) return kMostMemoryImbalance;
  return std::clamp(capacity / graph.memory_bytes - 1.0, kLeastMemoryImbalance, kMostMemoryImbalance);
}

}  // namespace

Result<Plan> MetisPlanner::plan(Search& search) {
  const std::vector<DeviceId> targets = worker_devices(search.problem());
  PartShares shares{target_speeds(search.problem(), targets), memory_of_targets(search.problem(), targets)};
  const double capacity = std::accumulate(shares.memory.begin(), shares.memory.end(), 0.0);
  make_shares(shares.work);
  make_shares(shares.memory);
  const auto seed = static_cast<std::int32_t>(search.budget().seed % 1'000'000'007);
  std::vector<CutMethod> methods;
  for (const bool with_memory : {true, false}) {
    for (const bool at_once : {false, true}) {
      for (const double imbalance : {0.05, 0.01, 0.2, 0.5}) {
        methods.push_back({fmt::format("{:.0f} % imbalance, {}{}", 100 * imbalance, at_once ? "k-way" : "bisection",
                                       with_memory ? ", memory shared out" : ""),
                           [=, &shares](const CutGraph& graph) {
                             const double memory = with_memory ? memory_imbalance(graph, capacity) : -1.0;
                             return cut_with_metis(graph, shares, {imbalance, memory, at_once, seed});
                           }});
      }
    }
  }
  return best_cut(search, targets, methods, "metis");
}

}  // namespace berth
