// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/host_run.h"

#include <algorithm>
#include <bit>

namespace berth::batch {
namespace {

constexpr std::uint32_t kMostQueued = 1U << 20;

// Room for all that could wait, up to a size that no sensible plan needs.
Capacities host_capacities(const CompactProblem& problem) {
  std::uint64_t transfers = 1;
  for (const Readers& readers : problem.tables().readers) {
    transfers += std::min(readers.count, problem.view().num_devices - 1);
  }
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(transfers, kMostQueued));
  return {std::bit_ceil(problem.view().num_ops), std::bit_ceil(most), problem.view().num_ops + most,
          problem.view().num_ops + most};
}

}  // namespace

HostRun::HostRun(const CompactProblem& problem)
    : view_(problem.view()),
      has_lanes_(problem.has_lanes()),
      capacities_(host_capacities(problem)),
      nodes_(view_.num_nodes),
      ready_(std::size_t{view_.num_devices} * capacities_.ready),
      queued_(std::size_t{view_.num_queues} * capacities_.queued),
      timeless_(capacities_.timeless),
      delayed_(capacities_.delayed),
      items_(view_.num_slots),
      rings_(HotState<std::uint32_t>::num_rings(view_)),
      counters_(view_.num_counters),
      delay_ends_(capacities_.delayed),
      times_(HotState<std::uint32_t>::num_times(view_)),
      peaks_(view_.num_devices + view_.num_pools) {}

bool HostRun::run(std::span<const std::uint8_t> device_of, std::span<const double> priorities) {
  for (std::uint32_t op = 0; op < view_.num_ops; ++op) nodes_[view_.node_of[op]] = view_.waits[op] | device_of[op];
  ranking_.set(view_, priorities);
  switch (ranking_.order()) {
    case Order::kReadyTime:
      return run_in_order<Order::kReadyTime>();
    case Order::kRank:
      return run_in_order<Order::kRank>();
    case Order::kRankTies:
      return run_in_order<Order::kRankTies>();
  }
  return false;
}

template <Order kOrder>
bool HostRun::run_in_order() {
  if constexpr (kOrder != Order::kReadyTime) {
    if (view_.num_ops > kMostRanked) return false;
    ranks_.resize(std::size_t{view_.num_devices} * rank_words_of_device(view_.num_ops));
    if (!ranks_are_clear_) std::fill(ranks_.begin(), ranks_.end(), 0);
  }
  if constexpr (kOrder == Order::kRankTies) since_.resize(view_.num_nodes);
  return has_lanes_ ? run_loop<kOrder, true>() : run_loop<kOrder, false>();
}

template <Order kOrder, bool kLanes>
[[gnu::flatten]] bool HostRun::run_loop() {
  const HotState<std::uint32_t> hot{times_.data(),
                                    items_.data(),
                                    rings_.data(),
                                    1,
                                    view_.num_slots,
                                    view_.num_devices,
                                    view_.num_devices + view_.num_queues};
  const Workspace<1> memory{nodes_.data(),      counters_.data(), ready_.data(), queued_.data(), timeless_.data(),
                            delay_ends_.data(), delayed_.data(),  ranks_.data(), since_.data(),  capacities_};
  EventLoop<1, std::uint32_t, std::uint64_t, kOrder, kLanes> loop(view_, memory, hot, ranking_.ranks());
  const bool ok = loop.run();
  ranks_are_clear_ = ok;  // a run that came to its end has taken all it queued
  if (!ok) return false;
  step_time_ = loop.now();
  for (std::uint32_t device = 0; device < view_.num_devices; ++device) peaks_[device] = loop.hot().peak(device);
  for (std::uint32_t pool = 0; pool < view_.num_pools; ++pool) {
    peaks_[view_.num_devices + pool] = loop.hot().pool_peak(pool);
  }
  return true;
}

}  // namespace berth::batch
