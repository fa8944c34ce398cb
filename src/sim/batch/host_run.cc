// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/host_run.h"

#include "sim/batch/event_loop.h"

namespace berth::batch {

HostRun::HostRun(const CompactProblem& problem, const Capacities& capacities)
    : memory_(problem.view(), capacities),
      has_lanes_(problem.has_lanes()),
      peaks_(problem.view().num_devices + problem.view().num_pools) {}

bool HostRun::run(std::span<const std::uint8_t> device_of, std::span<const double> priorities) {
  ranking_.set(memory_.view, priorities);
  if (!memory_.prepare(ranking_.order())) return false;
  memory_.place(device_of);
  return run_placed();
}

bool HostRun::run_placed() {
  const auto run_in = [&]<Order kOrder>() { return has_lanes_ ? run_loop<kOrder, true>() : run_loop<kOrder, false>(); };
  switch (ranking_.order()) {
    case Order::kReadyTime:
      return run_in.operator()<Order::kReadyTime>();
    case Order::kRank:
      return run_in.operator()<Order::kRank>();
    case Order::kRankTies:
      return run_in.operator()<Order::kRankTies>();
  }
  return false;
}

template <Order kOrder, bool kLanes>
bool HostRun::run_loop() {
  const CompactView& view = memory_.view;
  using Kind = RunKind<1, std::uint32_t, std::uint64_t, kOrder, kLanes>;
  EventLoop<Kind> loop({view, memory_.workspace(), memory_.hot(), ranking_.ranks()});
  const bool ok = loop.run();
  memory_.ranks_are_clear = ok;  // a run that came to its end has taken all it queued
  if (!ok) return false;
  step_time_ = loop.now();
  for (std::uint32_t device = 0; device < view.num_devices; ++device) peaks_[device] = loop.hot().peak(device);
  for (std::uint32_t pool = 0; pool < view.num_pools; ++pool) {
    peaks_[view.num_devices + pool] = loop.hot().pool_peak(pool);
  }
  return true;
}

}  // namespace berth::batch
