// SPDX-License-Identifier: Apache-2.0
// Recording a base, and resuming from one of its states.
#include "sim/engine/engine_base.h"

#include <algorithm>
#include <limits>

namespace berth {

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
  base.stretch.clear();
  base.held.resize(devices_.size() + pools_.size());
  base.block_peak.resize(base.held.size());
  for (auto& column : base.held) column.clear();
  base.places.clear();
  const std::size_t bytes = 1 + nodes * sizeof(std::uint32_t) + flat_.num_tensors() * sizeof(Checkpoint::Uses);
  base.num_checkpoints = 0;
  base.nodes_with_time = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) base.nodes_with_time += duration_in(plan, node) > 0 ? 1 : 0;
  const std::size_t worth_it =
      std::clamp(base.nodes_with_time / 16, BaseRun::kMostCheckpoints / 2, BaseRun::kMostCheckpoints);
  base.checkpoints.resize(std::clamp(BaseRun::kMostCheckpointBytes / bytes, std::size_t{1}, worth_it));
  touched_in_.resize(flat_.num_tensors());
  in_trees_.resize(flat_.num_tensors());
  skipped_.resize(base.held.size());
}

void Engine::end_base() {
  BaseRun& base = *base_;
  base.time.push_back(now_);
  base.stretch.push_back(static_cast<std::uint8_t>(base.num_checkpoints - 1));
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
}

void Engine::record_instant() {
  BaseRun& base = *base_;
  const auto instant = static_cast<std::uint32_t>(base.time.size());
  base.time.push_back(now_);
  base.stretch.push_back(static_cast<std::uint8_t>(base.num_checkpoints - 1));
  for (std::size_t column = 0; column < base.held.size(); ++column) base.held[column].push_back(held_in(column));
  if (started_ > base.checkpoint_due) {
    save_checkpoint(instant);
  }
}

// Checkpoints are spread evenly over the nodes that take time.
void Engine::BaseRun::set_checkpoint_due() {
  const std::size_t count = checkpoints.size();
  checkpoint_due =
      num_checkpoints == count ? kNone : static_cast<std::uint32_t>(nodes_with_time * num_checkpoints / count);
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

void Engine::save_checkpoint(std::uint32_t instant) {
  Checkpoint& to = base_->checkpoints[base_->num_checkpoints++];
  save_uses(to);
  save(to, instant);
  base_->set_checkpoint_due();
}

// Nobody asks again for storages that are free, or for views of them.
void Engine::save_uses(Checkpoint& to) {
  std::vector<std::uint32_t>& places = base_->places;
  const auto tensors = static_cast<std::uint32_t>(flat_.num_tensors());
  to.uses.resize(places.size());
  std::size_t kept = 0;
  for (const std::uint32_t place : places) {
    const std::uint32_t uses = uses_[place];
    const bool is_shared = (uses & kIsShared) != 0;
    const std::uint32_t of_storage = is_shared ? uses_[place - place % tensors + (uses & ~kIsShared)] : uses;
    places[kept] = place;
    to.uses[kept] = {place, uses};
    kept += of_storage > 0 ? 1 : 0;
  }
  places.resize(kept);
  to.uses.resize(kept);
}

void Engine::save_crowd() {
  base_->crowd.uses.clear();
  for (const std::uint32_t place : base_->places) base_->crowd.uses.push_back({place, uses_[place]});
  save(base_->crowd, 0);
  base_->crowd_ready.assign(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(num_ready_));
  base_->crowd_requests = requests_;
}

void Engine::save(Checkpoint& to, std::uint32_t instant) {
  to.instant = instant;
  to.started = started_;
  to.ready_order = ready_order_;
  to.unused_transfer = unused_transfer_;
  to.now = now_;
  to.words = words_;
  to.transfers = transfers_;
  to.transfers_under_way = under_way_;
  list_under_way(to.under_way);
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

// In an order that says how the rest goes on: what is on its way by time, then what waits, queue by queue.
void Engine::list_under_way(std::vector<UnderWay>& list) const {
  list.clear();
  if (queue_of_events_.empty()) return;
  const Picoseconds next = queue_of_events_.first().time;
  queue_of_events_.for_each([&](const Event& event) {
    if (event.kind == Event::Kind::kControl) list.push_back({event.time - next, event.item, kNone});
    if (event.kind != Event::Kind::kTransferEnd) return;
    const Transfer& transfer = transfers_[event.item];
    list.push_back({event.time - next, transfer.tensor, transfer.hop});
  });
  std::sort(list.begin(), list.end());
  for (const Queue& queue : queues_) {
    for (std::uint32_t id = queue.head; id != kNone; id = transfers_[id].next) {
      list.push_back({kQueued, transfers_[id].tensor, transfers_[id].hop});
    }
  }
}

void Engine::restore(const Checkpoint& from) {
  use(flat_);
  now_ = from.now;
  late_ = false;
  grown_devices_ = 0;
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
}

// Turns the restored state of the base into that of the plan at the same instant.
void Engine::patch(const Plan& plan) {
  priorities_ = plan.priority.data();
  for (const std::uint32_t node : changed_) {
    const auto from = static_cast<std::uint32_t>(base_->plan.device_of[node]);
    const auto to = static_cast<std::uint32_t>(plan.device_of[node]);
    if (from == to) continue;
    const Picoseconds less = duration_in(base_->plan, node), more = duration_in(plan, node);
    const bool has_started = base_->start_rank[node] < started_;
    devices_[from].total_work -= less;
    devices_[to].total_work += more;
    devices_[from].busy -= has_started ? less : 0;
    devices_[to].busy += has_started ? more : 0;
    words_[node] = (words_[node] & ~kDeviceMask) | to;
    if (base_->end_instant[node] == 0) {
      for (const std::uint32_t tensor : flat_.outputs_of(node)) uses_on(to)[tensor] = uses_on(from)[tensor];
    }
    const Bytes bytes = problem_.graph().resident_bytes(OpId{node});
    shift_held(from, -bytes);
    shift_held(to, bytes);
  }
}

// Bytes that are held all the time move every peak.
void Engine::shift_held(std::uint32_t device, Bytes bytes) {
  devices_[device].held += bytes;
  devices_[device].peak += bytes;
  const int pool = problem_.machine().pool_of(DeviceId(device));
  if (pool >= 0) pools_[static_cast<std::size_t>(pool)].peak += bytes;
}

}  // namespace berth
