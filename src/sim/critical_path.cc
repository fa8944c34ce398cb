// SPDX-License-Identifier: Apache-2.0
#include "sim/critical_path.h"

#include <algorithm>
#include <unordered_map>

#include "problem/fusion.h"
#include "sim/path_tracer.h"

namespace berth {
namespace {

std::uint64_t key(std::uint64_t high, std::uint64_t low) { return (high << 16) | low; }

}  // namespace

class PathTracer::Tracer {
 public:
  Tracer(const Problem& problem, const Plan& plan, const Timeline& timeline)
      : problem_(problem),
        graph_(problem.graph()),
        plan_(plan),
        timeline_(timeline),
        leader_(fusion_leaders(graph_, plan)) {
    for (const OpId op : graph_.ops()) {
      if (leader_[index(op)] != op) members_[leader_[index(op)]].push_back(op);
    }
    event_of_.assign(graph_.num_ops(), -1);
    for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
      const OpEvent& event = timeline.ops[i];
      event_of_[index(event.op)] = static_cast<int>(i);
      op_on_lane_ending_[key(static_cast<std::uint64_t>(event.end), index(event.device))] = event.op;
    }
    for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
      const TransferEvent& event = timeline.transfers[i];
      hops_of_[key(index(event.tensor), index(event.to))].push_back(i);
      const int queue = queue_of(event);
      if (queue >= 0)
        transfer_ending_[key(static_cast<std::uint64_t>(event.end), static_cast<std::uint64_t>(queue))] = i;
    }
  }

  std::vector<CriticalStep> path_to(OpId op, Picoseconds since) {
    path_.clear();
    transfer_ = -1;
    op_ = leader_[index(op)];
    while (has_more(since)) {
      if (transfer_ >= 0) {
        step_transfer();
      } else {
        step_op();
      }
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  [[nodiscard]] int queue_of(const TransferEvent& event) const {
    return problem_.machine().channels()[static_cast<std::size_t>(event.channel)].queue;
  }
  [[nodiscard]] Picoseconds end_of(OpId op) const { return timeline_.op_end[index(op)]; }
  // What ends at 0 takes no time, so nothing is lost where `since` is 0; the op asked for is always there.
  [[nodiscard]] bool has_more(Picoseconds since) const {
    if (transfer_ >= 0) return timeline_.transfers[static_cast<std::size_t>(transfer_)].end > since;
    return op_ != kNoOp && (path_.empty() || end_of(op_) > since);
  }

  // Adds the present op and moves to what it waited for.
  void step_op() {
    const OpId op = op_;
    op_ = kNoOp;
    const Picoseconds ready = timeline_.op_ready[index(op)];
    const int event = event_of_[index(op)];
    if (event >= 0) {
      const OpEvent& run = timeline_.ops[static_cast<std::size_t>(event)];
      path_.push_back({false, op, {}, run.device, -1, run.start, run.end, CriticalStep::Why::kStart});
      if (run.start > ready) {
        path_.back().why = CriticalStep::Why::kDevice;
        op_ = op_on_lane_ending_.at(key(static_cast<std::uint64_t>(run.start), index(run.device)));
        return;
      }
    }
    if (find_arrival(op, ready) && event >= 0) path_.back().why = CriticalStep::Why::kInput;
  }

  // Finds what arrived last at an op (or its fused group): sets op_ or transfer_.
  bool find_arrival(OpId leader, Picoseconds ready) {
    if (find_arrival_of(leader, ready)) return true;
    const auto rest = members_.find(leader);
    if (rest == members_.end()) return false;
    return std::any_of(rest->second.begin(), rest->second.end(), [&](OpId op) { return find_arrival_of(op, ready); });
  }

  bool find_arrival_of(OpId op, Picoseconds ready) {
    const DeviceId here = plan_.device(op);
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      const OpId producer = graph_.producer(tensor);
      if (leader_[index(producer)] == leader_[index(op)]) continue;
      const auto hops = hops_of_.find(key(index(tensor), index(here)));
      if (plan_.device(producer) != here && hops != hops_of_.end()) {
        if (timeline_.transfers[hops->second.back()].end != ready) continue;
        transfer_ = static_cast<std::ptrdiff_t>(hops->second.back());
        return true;
      }
      if (end_of(producer) == ready) return op_ = leader_[index(producer)], true;
    }
    for (const OpId before : graph_.control_inputs(op)) {
      if (leader_[index(before)] == leader_[index(op)]) continue;
      if (end_of(before) + problem_.control_latency(plan_.device(before), here) == ready) {
        return op_ = leader_[index(before)], true;
      }
    }
    return false;
  }

  // Adds the present transfer and moves to the hop, producer or rival before it.
  void step_transfer() {
    const std::size_t at = static_cast<std::size_t>(transfer_);
    const TransferEvent& event = timeline_.transfers[at];
    const OpId producer = graph_.producer(event.tensor);
    const auto& hops = hops_of_.at(key(index(event.tensor), index(event.to)));
    const auto position = std::find(hops.begin(), hops.end(), at);
    const bool first = position == hops.begin();
    const Picoseconds requested = first ? end_of(producer) : timeline_.transfers[*(position - 1)].end;
    path_.push_back({true, producer, event.tensor, event.to, event.channel, event.start, event.end,
                     event.start > requested ? CriticalStep::Why::kLink : CriticalStep::Why::kInput});
    if (event.start > requested) {
      transfer_ = static_cast<std::ptrdiff_t>(transfer_ending_.at(
          key(static_cast<std::uint64_t>(event.start), static_cast<std::uint64_t>(queue_of(event)))));
      return;
    }
    transfer_ = first ? -1 : static_cast<std::ptrdiff_t>(*(position - 1));
    if (first) op_ = leader_[index(producer)];
  }

  const Problem& problem_;
  const Graph& graph_;
  const Plan& plan_;
  const Timeline& timeline_;
  std::vector<OpId> leader_;
  std::unordered_map<OpId, std::vector<OpId>> members_;
  std::vector<int> event_of_;
  std::unordered_map<std::uint64_t, OpId> op_on_lane_ending_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> hops_of_;
  std::unordered_map<std::uint64_t, std::size_t> transfer_ending_;
  OpId op_ = kNoOp;
  std::ptrdiff_t transfer_ = -1;
  std::vector<CriticalStep> path_;
};

PathTracer::PathTracer(const Problem& problem, const Plan& plan, const Timeline& timeline)
    : tracer_(std::make_unique<Tracer>(problem, plan, timeline)) {}
PathTracer::~PathTracer() = default;

std::vector<CriticalStep> PathTracer::path_to(OpId op, Picoseconds since) { return tracer_->path_to(op, since); }

namespace {

// Without overlap all there is lies on the path.
std::vector<CriticalStep> whole_timeline(const Problem& problem, const Timeline& timeline) {
  using Why = CriticalStep::Why;
  std::vector<CriticalStep> path;
  for (const TransferEvent& event : timeline.transfers) {
    const OpId producer = problem.graph().producer(event.tensor);
    path.push_back({true, producer, event.tensor, event.to, event.channel, event.start, event.end, Why::kInput});
  }
  for (const OpEvent& event : timeline.ops)
    path.push_back({false, event.op, {}, event.device, -1, event.start, event.end, Why::kDevice});
  std::ranges::sort(path, {}, &CriticalStep::start);
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i - 1].is_transfer) path[i].why = path[i].is_transfer ? Why::kLink : Why::kInput;
  }
  if (!path.empty()) path.front().why = Why::kStart;
  return path;
}

}  // namespace

std::vector<CriticalStep> critical_path(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  if (!problem.machine().overlap()) return whole_timeline(problem, timeline);
  if (timeline.op_end.empty()) return {};
  const auto last = std::ranges::max_element(timeline.op_end);
  return PathTracer(problem, plan, timeline).path_to(OpId(last - timeline.op_end.begin()));
}

}  // namespace berth
