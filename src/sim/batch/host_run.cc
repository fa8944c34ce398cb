// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/host_run.h"

#include <algorithm>

#include "sim/batch/loop/event_loop.h"
#include "sim/batch/loop/first_effect.h"

namespace berth::batch {

HostRun::HostRun(const CompactProblem& problem, const Capacities& capacities)
    : memory_(problem.view(), capacities),
      has_lanes_(problem.has_lanes()),
      peaks_(problem.view().num_devices + problem.view().num_pools) {}

bool HostRun::run(std::span<const std::uint8_t> device_of, std::span<const double> priorities) {
  ranking_.set(memory_.view, priorities);
  if (!memory_.prepare(ranking_.order())) return false;
  memory_.place(device_of);
  return run_placed(nullptr);
}

bool HostRun::run_from(const BaseRun& base, std::span<const std::uint8_t> device_of,
                       std::span<const double> priorities) {
  memory_.place(device_of);
  const auto device = [&](std::uint32_t node) { return batch::device_of(memory_.nodes[node]); };
  const FirstEffect effect(memory_.view, base.times(), device);
  std::uint32_t first = kNoEffect;
  for (std::uint32_t op = 0; op < memory_.view.num_ops; ++op) {
    first = std::min(first, effect.of(memory_.view.node_of[op]));
  }
  return run_from(base, moment_before(base.snapshots(), first), device_of, priorities);
}

bool HostRun::run_from(const BaseRun& base, std::uint32_t moment, std::span<const std::uint8_t> device_of,
                       std::span<const double> priorities) {
  ranking_.set(memory_.view, priorities);
  if (!memory_.prepare(ranking_.order())) return false;
  moment_ = moment;
  restore(base.snapshots());
  for (std::uint32_t op = 0; op < memory_.view.num_ops; ++op) {
    std::uint32_t& word = memory_.nodes[memory_.view.node_of[op]];
    word = (word & ~kDeviceMask) | device_of[op];
  }
  return run_placed(&base.snapshots());
}

void HostRun::restore(const Snapshots& from) {
  const auto copy = [&](const auto* tables, auto& to) {
    std::copy_n(tables + moment_ * to.size(), to.size(), to.begin());
  };
  copy(from.nodes, memory_.nodes);
  copy(from.counters, memory_.counters);
  if (from.num_rank_words > 0) copy(from.ranks, memory_.ranks);
  if (from.num_since > 0) copy(from.since, memory_.since);
}

bool HostRun::run_placed(const Snapshots* from) {
  const auto run_in = [&]<Order kOrder>() {
    return has_lanes_ ? run_loop<kOrder, true>(from) : run_loop<kOrder, false>(from);
  };
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
bool HostRun::run_loop(const Snapshots* from) {
  const CompactView& view = memory_.view;
  using Kind = RunKind<1, std::uint32_t, std::uint64_t, kOrder, kLanes>;
  EventLoop<Kind> loop({view, memory_.workspace(), memory_.hot(), ranking_.ranks()});
  loop.begin();
  if (from != nullptr) loop.resume(*from, moment_);
  const bool ok = loop.go_on();
  if constexpr (Kind::kRanked) memory_.ranks_are_clear = ok;  // a run that came to its end has taken all it queued
  if (!ok) return false;
  step_time_ = loop.now();
  for (std::uint32_t device = 0; device < view.num_devices; ++device) peaks_[device] = loop.hot().peak(device);
  for (std::uint32_t pool = 0; pool < view.num_pools; ++pool) {
    peaks_[view.num_devices + pool] = loop.hot().pool_peak(pool);
  }
  return true;
}

}  // namespace berth::batch
