// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/base_run.h"

#include <algorithm>
#include <atomic>

#include "sim/batch/compact.h"
#include "sim/batch/loop/event_loop.h"

namespace berth::batch {
namespace {

constexpr std::size_t kMostMoments = 32, kMostMomentBytes = std::size_t{64} << 20;

// Notes when every node was ready and ended.
struct Recorder {
  std::uint32_t* ready;
  std::uint32_t* end;
  std::uint32_t* ended;
  void note_ready(std::uint32_t node, std::uint32_t instant) const { ready[node] = instant; }
  void note_end(std::uint32_t node, std::uint32_t instant) const {
    end[node] = instant;
    ++*ended;
  }
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t count) {
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

BaseRun::BaseRun(const CompactProblem& problem, const Capacities& capacities) : memory_(problem.view(), capacities) {
  const CompactView& view = memory_.view;
  const std::size_t bytes = view.num_nodes * std::size_t{8} + view.num_counters * std::size_t{2} +
                            view.num_devices * std::size_t{8} * rank_words_of_device(view.num_ops) + 1;
  most_moments_ = std::min(kMostMoments, kMostMomentBytes / bytes);
  find_control_predecessors();
}

void BaseRun::find_control_predecessors() {
  const CompactView& view = memory_.view;
  const auto for_each_successor = [&](auto body) {
    for (std::uint32_t op = 0; op < view.num_ops; ++op) {
      const std::uint32_t node = view.node_of[op];
      const std::uint32_t end = op + 1 < view.num_ops ? view.node_of[op + 1] : view.num_nodes;
      for (std::size_t i = std::size_t{node} * kChunk; i < std::size_t{end} * kChunk; ++i) {
        if (view.records[i].kind() == Record::kControl) body(node, view.records[i].node());
      }
    }
  };
  first_before_.assign(view.num_nodes + 1, 0);
  for_each_successor([&](std::uint32_t, std::uint32_t after) { ++first_before_[after + 1]; });
  for (std::uint32_t node = 0; node < view.num_nodes; ++node) first_before_[node + 1] += first_before_[node];
  before_.resize(first_before_.back());
  std::vector<std::uint32_t> next(first_before_.begin(), first_before_.end() - 1);
  for_each_successor([&](std::uint32_t node, std::uint32_t after) { before_[next[after]++] = node; });
}

bool BaseRun::is_of(std::span<const std::uint8_t> device_of, const Ranking& ranking) const {
  return !of_.empty() && of_ranking_ == ranking.num_changes() &&
         std::equal(device_of.begin(), device_of.end(), of_.begin(), of_.end());
}

bool BaseRun::record(std::span<const std::uint8_t> device_of, const Ranking& ranking) {
  const CompactView& view = memory_.view;
  of_.clear();
  if (!memory_.prepare(ranking.order())) return false;
  memory_.place(device_of);
  for (auto* table : {&nodes_, &since_, &items_, &num_waiting_, &waiting_, &delayed_}) table->clear();
  moments_.clear();
  counters_.clear();
  ranks_.clear();
  times_.clear();
  delay_ends_.clear();
  ready_.assign(view.num_nodes, 0);
  end_.assign(view.num_nodes, 0);
  device_.assign(view.num_nodes, 0);
  for (std::uint32_t op = 0; op < view.num_ops; ++op) device_[view.node_of[op]] = device_of[op];
  ended_ = 0;
  bool ok = false;
  if (ranking.order() == Order::kReadyTime) ok = run_loop<Order::kReadyTime>(ranking);
  if (ranking.order() == Order::kRank) ok = run_loop<Order::kRank>(ranking);
  if (ranking.order() == Order::kRankTies) ok = run_loop<Order::kRankTies>(ranking);
  if (ranking.order() != Order::kReadyTime) memory_.ranks_are_clear = ok;
  if (!ok) return false;
  of_.assign(device_of.begin(), device_of.end());
  of_ranking_ = ranking.num_changes();
  static std::atomic<std::uint64_t> records = 0;
  id_ = ++records;
  const bool is_ranked = ranking.order() != Order::kReadyTime, has_ties = ranking.order() == Order::kRankTies;
  snapshots_.count = static_cast<std::uint32_t>(moments_.size());
  snapshots_.num_rank_words = is_ranked ? static_cast<std::uint32_t>(memory_.ranks.size()) : 0;
  snapshots_.num_since = has_ties ? view.num_nodes : 0;
  visit(snapshots_, base_, [](auto& pointer, const auto& table) { pointer = table.data(); });
  return true;
}

// Moments are spread evenly over the ops that end.
template <Order kOrder>
bool BaseRun::run_loop(const Ranking& ranking) {
  const CompactView& view = memory_.view;
  constexpr bool kLanes = true;  // serves machines without lanes as well
  using Kind = RunKind<1, std::uint32_t, std::uint64_t, kOrder, kLanes, Recorder>;
  EventLoop<Kind> loop({view, memory_.workspace(), memory_.hot(), ranking.ranks()},
                       {ready_.data(), end_.data(), &ended_});
  loop.begin();
  residents_.clear();
  for (std::uint32_t i = 0; i < view.num_devices; ++i) residents_.push_back(loop.hot().held(i));
  for (std::uint32_t i = 0; i < view.num_pools; ++i) residents_.push_back(loop.hot().pool_peak(i));
  const std::size_t gap = view.num_ops / (most_moments_ + 1) + 1;
  for (std::size_t due = 0;;) {
    if (ended_ >= due && moments_.size() <= most_moments_ && (due == 0 || loop.is_between_instants())) {
      if (due > 0) loop.begin_what_waits();
      remember(loop, kOrder);
      while (due <= ended_) due += gap;
    }
    const Found found = loop.fetch();
    if (loop.failed() || found == Found::kEnd) return !loop.failed();
    if (found == Found::kWork) {
      while (!loop.work()) {
      }
    }
  }
}

template <typename Loop>
void BaseRun::remember(Loop& loop, Order order) {
  const CompactView& view = memory_.view;
  const Waiting<typename Loop::KindOfRun>& waiting = loop.agenda().waiting();
  const std::uint32_t num_delayed = waiting.num_delayed();
  moments_.push_back({loop.now(), loop.agenda().holdings().grown(), waiting.instant(), num_delayed,
                      static_cast<std::uint32_t>(waiting_.size()), static_cast<std::uint32_t>(delayed_.size()),
                      ended_});
  remember_memory();
  remember_rings(order);
  append(delay_ends_, memory_.delay_ends, num_delayed);
  append(delayed_, memory_.delayed, num_delayed);
  // What residents hold is counted anew where they are in each plan.
  std::uint64_t* times = times_.data() + times_.size() - memory_.times.size();
  const HotPlaces places{view.num_slots, view.num_devices};
  for (std::uint32_t device = 0; device < view.num_devices; ++device) {
    times[places.held(device)] -= static_cast<std::uint64_t>(residents_[device]);
    times[places.peak(device)] -= static_cast<std::uint64_t>(residents_[device]);
  }
  for (std::uint32_t pool = 0; pool < view.num_pools; ++pool) {
    times[places.pool_peak(pool)] -= static_cast<std::uint64_t>(residents_[view.num_devices + pool]);
  }
}

void BaseRun::remember_memory() {
  append(nodes_, memory_.nodes, memory_.nodes.size());
  append(counters_, memory_.counters, memory_.counters.size());
  append(ranks_, memory_.ranks, memory_.ranks.size());
  append(since_, memory_.since, memory_.since.size());
  append(times_, memory_.times, memory_.times.size());
  append(items_, memory_.items, memory_.items.size());
}

void BaseRun::remember_rings(Order order) {
  const CompactView& view = memory_.view;
  HotState<std::uint32_t> hot = memory_.hot();
  for (std::uint32_t server = 0; server < view.num_devices + view.num_queues; ++server) {
    const bool is_device = server < view.num_devices;
    num_waiting_.push_back(hot.tail(server) - hot.head(server));
    if (is_device && order != Order::kReadyTime) continue;
    const std::vector<std::uint32_t>& rings = is_device ? memory_.ready : memory_.queued;
    const std::uint32_t size = is_device ? memory_.capacities.ready : memory_.capacities.queued;
    const std::size_t first = std::size_t{is_device ? server : server - view.num_devices} * size;
    for (std::uint32_t i = hot.head(server); i != hot.tail(server); ++i) waiting_.push_back(rings[first + i % size]);
  }
}

}  // namespace berth::batch
