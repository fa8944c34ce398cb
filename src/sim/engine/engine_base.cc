// SPDX-License-Identifier: Apache-2.0
// Recording a base, and resuming from it: up to the first instant at which a changed plan can differ, its run is the
// base's.
#include "sim/engine/engine_base.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace berth {
namespace {

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b, std::size_t first, std::size_t count) {
  return std::memcmp(a.data() + first, b.data() + first, count * sizeof(T)) == 0;
}

}  // namespace

Bytes Engine::BaseRun::most_held(std::size_t column, std::uint32_t first, std::uint32_t last) const {
  const std::vector<Bytes>& at = held[column];
  last = std::min(last, static_cast<std::uint32_t>(at.size()));
  Bytes most = std::numeric_limits<Bytes>::min() / 2;
  for (std::uint32_t i = first; i < last;) {
    if (i % kBlock == 0 && i + kBlock <= last) {
      most = std::max(most, block_peak[column][i / kBlock]);
      i += kBlock;
    } else {
      most = std::max(most, at[i++]);
    }
  }
  return most;
}

void Engine::begin_base(const Plan& plan) {
  if (!base_) base_ = std::make_unique<BaseRun>();
  BaseRun& base = *base_;
  const std::size_t nodes = flat_.num_nodes();
  base.plan = plan;
  base.ready_instant.assign(nodes, 0);
  base.end_instant.assign(nodes, 0);
  base.start_rank.assign(nodes, 0);
  base.time.clear();
  base.started.clear();
  base.running.clear();
  base.held.resize(devices_.size() + pools_.size());
  base.block_peak.resize(base.held.size());
  for (auto& column : base.held) column.clear();
  base.places.clear();
  const std::size_t bytes = 1 + nodes * sizeof(std::uint32_t) + flat_.num_tensors() * sizeof(Checkpoint::Uses);
  base.checkpoints.resize(std::min(BaseRun::kMostCheckpoints, BaseRun::kMostCheckpointBytes / bytes));
  base.num_checkpoints = 0;
  base.nodes_with_time = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) base.nodes_with_time += duration_in(plan, node) > 0 ? 1 : 0;
  base.set_checkpoint_due();
}

void Engine::end_base() {
  BaseRun& base = *base_;
  base.time.push_back(now_);
  base.score = score_;
  base.equal_priorities = equal_priorities_;
  for (std::size_t column = 0; column < base.held.size(); ++column) {
    const auto& held = base.held[column];
    base.block_peak[column].clear();
    for (std::size_t i = 0; i < held.size(); i += BaseRun::kBlock) {
      const auto first = held.begin() + static_cast<std::ptrdiff_t>(i);
      const auto count = std::min<std::size_t>(BaseRun::kBlock, held.size() - i);
      base.block_peak[column].push_back(*std::max_element(first, first + static_cast<std::ptrdiff_t>(count)));
    }
  }
  patched_.clear();
  urgency_is_of_base_ = true;
}

void Engine::record_instant() {
  BaseRun& base = *base_;
  const auto instant = static_cast<std::uint32_t>(base.time.size());
  base.time.push_back(now_);
  base.started.push_back(started_);
  base.running.push_back(under_way_ == 0 ? static_cast<std::uint32_t>(queue_of_events_.size()) : kNone);
  for (std::size_t column = 0; column < base.held.size(); ++column) base.held[column].push_back(held_in(column));
  if (started_ > base.checkpoint_due) {
    forget_freed();
    save(base.checkpoints[base.num_checkpoints++], instant);
    base.set_checkpoint_due();
  }
}

// Checkpoints are spread evenly over the nodes that take time.
void Engine::BaseRun::set_checkpoint_due() {
  const std::size_t next = num_checkpoints + 1, count = checkpoints.size();
  checkpoint_due = next > count ? kNone : static_cast<std::uint32_t>(nodes_with_time * next / (count + 1));
}

Bytes Engine::held_in(std::size_t column) const {
  if (column < devices_.size()) return devices_[column].held;
  Bytes held = 0;
  for (const DeviceId id : problem_.machine().device_ids()) {
    if (problem_.machine().pool_of(id) == static_cast<int>(column - devices_.size())) held += devices_[index(id)].held;
  }
  return held;
}

Picoseconds Engine::duration_in(const Plan& plan, std::uint32_t node) const {
  return problem_.duration(OpId{node}, plan.device_of[node]);
}

// Nobody asks for storages that are free, or for views of them.
void Engine::forget_freed() {
  const auto tensors = static_cast<std::uint32_t>(flat_.num_tensors());
  std::erase_if(base_->places, [&](std::uint32_t place) {
    const std::uint32_t tensor = place % tensors;
    return uses_[place - tensor + storage_of(tensor, &uses_[place - tensor])] == 0;
  });
}

void Engine::save(Checkpoint& to, std::uint32_t instant) const {
  to.instant = instant;
  to.started = started_;
  to.ready_order = ready_order_;
  to.unused_transfer = unused_transfer_;
  to.now = now_;
  to.words = words_;
  to.uses.clear();
  for (const std::uint32_t place : base_->places) to.uses.push_back({place, uses_[place]});
  to.transfers = transfers_;
  to.transfers_under_way = under_way_;
  to.queues = queues_;
  to.queue_use = score_.queues;
  to.devices = devices_;
  to.pools = pools_;
  to.events = queue_of_events_;
  if (!equal_priorities_) to.ready_of = ready_of_;
  to.ready.clear();
  for (const DeviceState& device : devices_) {
    for (std::uint32_t node = device.head; equal_priorities_ && node != kNone; node = next_ready_[node]) {
      to.ready.push_back(node);
    }
  }
}

void Engine::restore(const Checkpoint& from) {
  use(flat_);
  now_ = from.now;
  late_ = false;
  events_ = 0;
  started_ = rank_end_ = from.started;
  ready_order_ = from.ready_order;
  unused_transfer_ = from.unused_transfer;
  words_ = from.words;
  for (const auto& [place, uses] : from.uses) uses_[place] = uses;
  transfers_ = from.transfers;
  under_way_ = from.transfers_under_way;
  queues_ = from.queues;
  score_.queues = from.queue_use;
  devices_ = from.devices;
  pools_ = from.pools;
  queue_of_events_ = from.events;
  equal_priorities_ = base_->equal_priorities;
  if (!equal_priorities_) ready_of_ = from.ready_of;
  for (DeviceState& device : devices_) device.head = device.tail = kNone;
  for (const std::uint32_t node : from.ready) list_ready(node, devices_[device_of(node)]);
  restore_urgency();
}

// Priorities as they were in the base.
void Engine::restore_urgency() {
  const auto restore_node = [&](std::uint32_t node) {
    urgency_[node] = urgency_of(base_->plan.priority_of(OpId{node}));
  };
  if (equal_priorities_) {
    patched_.clear();
  } else if (urgency_is_of_base_) {
    std::for_each(patched_.begin(), patched_.end(), restore_node);
  } else {
    urgency_.resize(words_.size());
    for (std::uint32_t node = 0; node < words_.size(); ++node) restore_node(node);
  }
  patched_.clear();
  urgency_is_of_base_ = true;
}

// Finds the ops that differ from the base. False if the plan is too far from it for what follows.
bool Engine::find_changes(const Plan& plan) {
  const Plan& base = base_->plan;
  const std::size_t nodes = flat_.num_nodes();
  changed_.clear();
  if (!plan.fusions.empty()) return false;
  const bool both_empty = plan.priority.empty() && base.priority.empty();
  const bool both_full = plan.priority.size() == nodes && base.priority.size() == nodes;
  constexpr std::size_t kStretch = 128;  // most stretches are equal, which a comparison of bytes finds fast
  for (std::size_t first = 0; first < nodes; first += kStretch) {
    const std::size_t count = std::min(kStretch, nodes - first);
    const bool same_order = both_empty || (both_full && same_bytes(plan.priority, base.priority, first, count));
    if (same_order && same_bytes(plan.device_of, base.device_of, first, count)) continue;
    for (auto node = static_cast<std::uint32_t>(first); node < first + count; ++node) {
      const bool urged = !same_order && plan.priority_of(OpId{node}) != base.priority_of(OpId{node});
      if (!moved(plan, node) && !urged) continue;
      if (urged && base_->equal_priorities) return false;
      if ((duration_in(plan, node) == 0) != (duration_in(base, node) == 0)) return false;
      changed_.push_back(node);
    }
  }
  return changed_.size() <= nodes / 4;
}

DeviceSet Engine::destinations(const Plan& plan, std::uint32_t tensor) const {
  DeviceSet set = 0;
  for (const std::uint32_t consumer : flat_.consumers_of(tensor)) set |= device_bit(plan.device_of[consumer]);
  return set & ~device_bit(plan.device_of[flat_.producer[tensor]]);
}

bool Engine::moved(const Plan& plan, std::uint32_t node) const {
  return plan.device_of[node] != base_->plan.device_of[node];
}

bool Engine::same_latency(const Plan& plan, std::uint32_t from, std::uint32_t to) const {
  const Plan& base = base_->plan;
  return problem_.control_latency(base.device_of[from], base.device_of[to]) ==
         problem_.control_latency(plan.device_of[from], plan.device_of[to]);
}

// The first instant at which the plan's run may differ from the base's, or any before the first checkpoint, if that is
// so; 0 if from the start. Resident bytes do not count: they shift what a device holds all the time.
std::uint32_t Engine::first_effect(const Plan& plan) const {
  const std::uint32_t early = base_->num_checkpoints > 0 ? base_->checkpoints.front().instant : kNone;
  std::uint32_t first = kNone;
  for (const std::uint32_t node : changed_) {
    first = std::min(first, first_effect_of(plan, node));
    if (first <= early) break;
  }
  return first;
}

std::uint32_t Engine::first_effect_of(const Plan& plan, std::uint32_t node) const {
  const BaseRun& base = *base_;
  if (!moved(plan, node)) return base.ready_instant[node];
  if (base.end_instant[node] == 0) return moves_unnoticed(plan, node) ? kNone : 0;
  if (problem_.graph().resident_bytes(OpId{node}) > 0) return 0;
  std::uint32_t first = base.ready_instant[node];
  for (const std::uint32_t tensor : flat_.inputs_of(node)) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (!moved(plan, producer)) first = std::min(first, base.end_instant[producer]);
  }
  for (const OpId before : problem_.graph().control_inputs(OpId{node})) {
    const auto from = static_cast<std::uint32_t>(before);
    if (!same_latency(plan, from, node)) first = std::min(first, base.end_instant[from]);
  }
  return first;
}

// True for what is there from the start, has moved with all its neighbours and holds nothing but resident bytes.
bool Engine::moves_unnoticed(const Plan& plan, std::uint32_t node) const {
  const Plan& base = base_->plan;
  if (flat_.output_bytes(node) > 0) return false;
  for (const std::uint32_t tensor : flat_.inputs_of(node)) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (plan.device_of[producer] != plan.device_of[node] || base.device_of[producer] != base.device_of[node]) {
      return false;
    }
  }
  for (const std::uint32_t tensor : flat_.outputs_of(node)) {
    if (destinations(plan, tensor) != 0 || destinations(base, tensor) != 0) return false;
  }
  const auto control_inputs = problem_.graph().control_inputs(OpId{node});
  const auto after = flat_.control_of(node);
  return std::all_of(after.begin(), after.end(), [&](std::uint32_t to) { return same_latency(plan, node, to); }) &&
         std::all_of(control_inputs.begin(), control_inputs.end(),
                     [&](OpId from) { return same_latency(plan, static_cast<std::uint32_t>(from), node); });
}

// The last checkpoint before an instant, or the start.
const Engine::Checkpoint& Engine::checkpoint_before(std::uint32_t instant) const {
  const Checkpoint* last = &base_->start;
  for (std::size_t i = 0; i < base_->num_checkpoints && base_->checkpoints[i].instant < instant; ++i) {
    last = &base_->checkpoints[i];
  }
  return *last;
}

// Turns the restored state of the base into that of the plan at the same instant.
void Engine::patch(const Plan& plan) {
  for (const std::uint32_t node : changed_) {
    const auto from = static_cast<std::uint32_t>(base_->plan.device_of[node]);
    const auto to = static_cast<std::uint32_t>(plan.device_of[node]);
    if (!equal_priorities_) urgency_[node] = urgency_of(plan.priority_of(OpId{node}));
    if (from == to) continue;
    devices_[from].total_work -= duration_in(base_->plan, node);
    devices_[to].total_work += duration_in(plan, node);
    words_[node] = (words_[node] & ~kDeviceMask) | to;
    if (base_->end_instant[node] == 0) {
      for (const std::uint32_t tensor : flat_.outputs_of(node)) uses_on(to)[tensor] = uses_on(from)[tensor];
    }
    const Bytes bytes = problem_.graph().resident_bytes(OpId{node});
    shift_held(from, -bytes);
    shift_held(to, bytes);
  }
  patched_ = changed_;
}

// Bytes that are held all the time move every peak.
void Engine::shift_held(std::uint32_t device, Bytes bytes) {
  devices_[device].held += bytes;
  devices_[device].peak += bytes;
  const int pool = problem_.machine().pool_of(DeviceId(device));
  if (pool >= 0) pools_[static_cast<std::size_t>(pool)].peak += bytes;
}

}  // namespace berth
