// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/host_memory.h"

#include <algorithm>
#include <bit>

#include "sim/batch/compact.h"

namespace berth::batch {

Capacities host_capacities(const CompactProblem& problem) {
  constexpr std::uint64_t kMostQueued = 1U << 20;
  std::uint64_t transfers = 1;
  for (const Readers& readers : problem.tables().readers) {
    transfers += std::min(readers.count, problem.view().num_devices - 1);
  }
  const auto most = static_cast<std::uint32_t>(std::min(transfers, kMostQueued));
  return {std::bit_ceil(problem.view().num_ops), std::bit_ceil(most), problem.view().num_ops + most,
          problem.view().num_ops + most};
}

HostMemory::HostMemory(const CompactView& problem, const Capacities& room)
    : view(problem),
      nodes(view.num_nodes),
      items(view.num_slots),
      rings(num_ring_places(view)),
      counters(view.num_counters),
      times(num_hot_times(view)) {
  set_capacities(room);
}

void HostMemory::set_capacities(const Capacities& room) {
  capacities = room;
  ready.resize(std::size_t{view.num_devices} * room.ready);
  queued.resize(std::size_t{view.num_queues} * room.queued);
  timeless.resize(room.timeless);
  delayed.resize(room.delayed);
  delay_ends.resize(room.delayed);
}

bool HostMemory::prepare(Order order) {
  if (order == Order::kReadyTime) return true;
  if (view.num_ops > kMostRanked) return false;
  ranks.resize(std::size_t{view.num_devices} * rank_words_of_device(view.num_ops));
  if (!ranks_are_clear) std::fill(ranks.begin(), ranks.end(), 0);
  if (order == Order::kRankTies) since.resize(view.num_nodes);
  return true;
}

void HostMemory::place(std::span<const std::uint8_t> device_of) {
  for (std::uint32_t op = 0; op < view.num_ops; ++op) nodes[view.node_of[op]] = view.waits[op] | device_of[op];
}

Workspace<1> HostMemory::workspace() {
  return {nodes.data(),      counters.data(), ready.data(), queued.data(), timeless.data(),
          delay_ends.data(), delayed.data(),  ranks.data(), since.data(),  capacities};
}
HotState<std::uint32_t> HostMemory::hot() { return hot_state(view, times.data(), items.data(), rings.data(), 1); }

}  // namespace berth::batch
