// SPDX-License-Identifier: Apache-2.0
// The slow parts of the engine, before and after its loop: tables of the problem, a clean state for a plan, the
// results.
#include <algorithm>

#include "sim/engine/engine_base.h"

namespace berth {

Engine::Engine(const Problem& problem) : problem_(problem), flat_(flatten(problem)), graph_(&flat_) {
  const Machine& machine = problem.machine();
  const std::size_t devices = machine.num_devices(), nodes = flat_.num_nodes();
  words_.resize(nodes);
  next_ready_.resize(nodes);
  arrived_.resize(nodes + 1);  // the last one may be written, never read
  ready_.resize(nodes);
  uses_.resize(devices * flat_.num_tensors());
  devices_.resize(devices);
  ready_of_.resize(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    first_start_.push_back(static_cast<std::size_t>(problem.device_class(DeviceId(i))) * nodes);
    devices_[i].lanes = machine.devices()[i].lanes;
  }
  pools_.resize(machine.pools().size());
  queues_.resize(machine.queues().size());
  score_.devices.resize(devices);
  score_.pool_peaks.resize(pools_.size());
  score_.queues.resize(queues_.size());
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      first_hop_.push_back(static_cast<std::uint32_t>(hops_.size()));
      for (const std::uint16_t id : machine.route(from, to)) {
        const Channel& channel = machine.channels()[id];
        hops_.push_back({channel.latency_s, channel.bytes_per_s, channel.queue, id, false});
      }
      if (from != to) hops_.back().last = true;
    }
  }
  for (const OpId op : problem.graph().ops()) {
    if (const Bytes bytes = problem.graph().resident_bytes(op); bytes > 0) residents_.push_back({op, bytes});
  }
}

Engine::~Engine() = default;

void Engine::use(const FlatGraph& graph) {
  graph_ = &graph;
  script_ = graph.script.data();
  node_begin_ = graph.node_begin.data();
  tensor_begin_ = graph.tensor_begin.data();
  starts_ = graph.starts.data();
  bytes_ = graph.bytes.data();
}

void Engine::reset(const Plan& plan) {
  if (!plan.fusions.empty()) fused_ = flatten_fused(problem_, plan, flat_);
  use(plan.fusions.empty() ? flat_ : fused_);
  now_ = 0;
  late_ = false;
  under_way_ = started_ = rank_end_ = 0;
  events_ = 0;
  ready_order_ = 0;
  queue_of_events_.clear();  // of a run that was abandoned
  transfers_.clear();
  unused_transfer_ = kNone;
  for (Queue& queue : queues_) queue = {kNone, kNone, false, false};
  for (DeviceState& device : devices_) {
    device.head = device.tail = kNone;
    device.idle_lanes = device.lanes;
    device.busy = device.total_work = device.peak_time = 0;
    device.held = 0;
    device.last_allocator = device.peak_allocator = kNone;
  }
  for (ReadyQueue& ready : ready_of_) ready.clear();
  for (QueueUse& use : score_.queues) use = {};
  reset_nodes(plan);
  hold_residents(plan);
  set_priorities(plan);
}

void Engine::reset_nodes(const Plan& plan) {
  for (std::size_t node = 0; node < words_.size(); ++node) {
    words_[node] = graph_->num_waits[node] * kOneWait + static_cast<std::uint32_t>(plan.device_of[node]);
  }
}

void Engine::sum_work(const Plan& plan) {
  for (std::uint32_t node = 0; node < graph_->num_nodes(); ++node) {
    const std::size_t device = index(plan.device_of[node]);
    devices_[device].total_work += starts_[first_start_[device] + node].duration;
  }
}

// Rule 5: what is held all the time.
void Engine::hold_residents(const Plan& plan) {
  for (const Resident& resident : residents_) devices_[index(plan.device(resident.op))].held += resident.bytes;
  for (DeviceState& device : devices_) device.peak = device.held;
  for (PoolState& pool : pools_) pool = {0, 0, kNone, 0};
  for (const DeviceId id : problem_.machine().device_ids()) {
    if (const int pool = problem_.machine().pool_of(id); pool >= 0) {
      pools_[static_cast<std::size_t>(pool)].peak += devices_[index(id)].held;
      pools_[static_cast<std::size_t>(pool)].peak_device = static_cast<std::uint8_t>(id);
    }
  }
}

// Rule 1 and 6: a fused group has the highest priority of its members.
void Engine::set_priorities(const Plan& plan) {
  const auto& given = plan.priority;
  equal_priorities_ = std::adjacent_find(given.begin(), given.end(), std::not_equal_to<>()) == given.end();
  if (equal_priorities_) return;
  priorities_ = given.data();
  if (plan.fusions.empty()) return;
  priorities_of_groups_ = given;
  priorities_ = priorities_of_groups_.data();
  for (const auto& group : plan.fusions) {
    const OpId leader = *std::min_element(group.begin(), group.end());
    double& priority = priorities_of_groups_[index(leader)];
    for (const OpId op : group) {
      if (urgency_of(given[index(op)]) > urgency_of(priority)) priority = given[index(op)];
    }
  }
}

void Engine::fill_score() {
  grown_devices_ = 0;
  score_.step_time = now_;
  for (std::size_t i = 0; i < devices_.size(); ++i) score_.devices[i] = {devices_[i].busy, devices_[i].peak};
  for (std::size_t i = 0; i < pools_.size(); ++i) score_.pool_peaks[i] = pools_[i].peak;
  judge_memory();
}

void Engine::judge_memory() {
  score_.overflow.reset();
  const auto judge = [&](Bytes over, const Overflow& overflow) {
    if (over > 0 && (!score_.overflow || over > score_.overflow->over)) score_.overflow = overflow;
  };
  for (const DeviceId id : problem_.machine().device_ids()) {
    if (problem_.machine().pool_of(id) >= 0) continue;
    const DeviceState& device = devices_[index(id)];
    const Bytes over = device.peak - problem_.capacity(id);
    judge(over, {id, -1, op_of(device.peak_allocator), device.peak_time, over});
  }
  for (int pool = 0; pool < static_cast<int>(pools_.size()); ++pool) {
    const PoolState& state = pools_[static_cast<std::size_t>(pool)];
    const Bytes over = state.peak - problem_.pool_capacity(pool);
    judge(over, {DeviceId{state.peak_device}, pool, op_of(state.peak_allocator), state.peak_time, over});
  }
  score_.feasible = !score_.overflow.has_value();
}

OpId Engine::op_of(std::uint32_t allocator) const {
  const bool is_copy = allocator != kNone && (allocator & kOfCopy) != 0;
  return OpId{is_copy ? graph_->producer[allocator & ~kOfCopy] : allocator};
}

// At the end of an instant, so that lifetimes that begin and end in it do not show.
void Engine::record_memory() {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].held == recorded_held_[i]) continue;
    recorded_held_[i] = devices_[i].held;
    memory_.push_back({now_, DeviceId(i), devices_[i].held});
  }
}

void Engine::finish_timeline() {
  timeline_.score = score_;
  std::sort(timeline_.ops.begin(), timeline_.ops.end(),
            [](const OpEvent& a, const OpEvent& b) { return a.start != b.start ? a.start < b.start : a.op < b.op; });
  std::stable_sort(timeline_.transfers.begin(), timeline_.transfers.end(),
                   [](const TransferEvent& a, const TransferEvent& b) {
                     if (a.start != b.start) return a.start < b.start;
                     return a.tensor != b.tensor ? a.tensor < b.tensor : a.to < b.to;
                   });
  // Lanes are interchangeable: the lowest free one at the start.
  std::vector<std::vector<Picoseconds>> lane_free(devices_.size());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    lane_free[i].assign(static_cast<std::size_t>(problem_.machine().devices()[i].lanes), 0);
  }
  for (OpEvent& event : timeline_.ops) {
    auto& lanes = lane_free[index(event.device)];
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Picoseconds free) { return free <= event.start; });
    event.lane = static_cast<int>(lane - lanes.begin());
    *lane = event.end;
  }
}

}  // namespace berth
