// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/engine.h"

#include <algorithm>
#include <bit>

#include "sim/engine/engine_base.h"

namespace berth {
namespace {

template <typename T, typename Less>
void sort_crowd(std::span<T> items, Less less) {
  std::sort(items.begin(), items.end(), less);
}

// Most instants bring one or two items; the crowd comes at time 0.
template <typename T, typename Less>
void sort_few(std::span<T> items, Less less) {
  if (items.size() > 16) return sort_crowd(items, less);
  for (std::size_t i = 1; i < items.size(); ++i) {
    const T item = items[i];
    std::size_t hole = i;
    for (; hole > 0 && less(item, items[hole - 1]); --hole) items[hole] = items[hole - 1];
    items[hole] = item;
  }
}

}  // namespace

const Score& Engine::run(const Plan& plan) {
  simulate<Mode::kScore>(plan);
  return score_;
}

const Score* Engine::run_bounded(const Plan& plan, Picoseconds cutoff) {
  if (has_next_base_ && handled_since_ >= kRecordingCosts * flat_.num_nodes()) record_base();
  cutoff_ = cutoff;
  const bool near = has_base_ && find_changes(plan);
  const bool in_time = near ? simulate_near(plan) : simulate<Mode::kBounded>(plan);
  handled_since_ += events_;
  return in_time ? &score_ : nullptr;
}

// To record a base costs several runs, and the next one may follow soon. So that waits until as much has been run; the
// base before is near as well.
void Engine::rebase(const Plan& plan) {
  has_next_base_ = plan.fusions.empty();  // fused graphs are drawn together anew for every plan: nothing to share
  handled_since_ = 0;
  if (has_next_base_) next_base_ = plan;
  if (!has_next_base_) has_base_ = false;
}

void Engine::record_base() {
  has_next_base_ = false;
  has_base_ = true;
  begin_base(next_base_);
  simulate<Mode::kBase>(base_->plan);
  end_base();
}

// Events in the order in which they happened; ops of a fused group have its times.
void Engine::record_timeline(const Plan& plan) {
  timeline_.op_end.assign(flat_.num_nodes(), 0);
  timeline_.op_ready.assign(flat_.num_nodes(), 0);
  memory_.clear();
  recorded_held_.assign(devices_.size(), 0);
  simulate<Mode::kTimeline>(plan);
  for (const auto& group : plan.fusions) {
    const OpId leader = *std::min_element(group.begin(), group.end());
    for (const OpId op : group) {
      timeline_.op_end[index(op)] = timeline_.op_end[index(leader)];
      timeline_.op_ready[index(op)] = timeline_.op_ready[index(leader)];
    }
  }
}

// False if the step takes longer than the cutoff.
template <Mode kMode>
bool Engine::simulate(const Plan& plan) {
  reset(plan);
  if constexpr (kMode == Mode::kBounded || kMode == Mode::kBase) sum_work(plan);
  if constexpr (kMode == Mode::kBase) save_checkpoint(kNone);
  if constexpr (kMode == Mode::kBounded) {
    if (is_late()) return false;
  }
  begin<kMode>();
  return run_to_end<kMode>();
}

// The instant 0.
template <Mode kMode>
void Engine::begin() {
  std::copy(graph_->sources.begin(), graph_->sources.end(), arrived_.begin());
  num_arrived_ = graph_->sources.size();
  settle<kMode>();
  if constexpr (kMode == Mode::kBase) save_crowd();
  pick<kMode>();
}

// Everything below is drawn into this loop: a call per step of an event would cost as much as the step.
template <Mode kMode>
[[gnu::flatten]] bool Engine::run_to_end() {
  while (!queue_of_events_.empty()) {
    note_peaks();  // only now: at the last instant of all every lifetime has ended
    if constexpr (kMode == Mode::kBase) record_instant();
    if constexpr (kMode == Mode::kTimeline) record_memory();
    if constexpr (kMode == Mode::kNear) {
      if (started_ >= skip_at_ && skip()) return score_.step_time <= cutoff_;
    }
    now_ = queue_of_events_.first().time;
    if constexpr (kMode == Mode::kBounded || kMode == Mode::kNear) {
      if (late_ || now_ > cutoff_) return false;
    }
    do {
      handle<kMode>(queue_of_events_.pop());
    } while (!queue_of_events_.empty() && queue_of_events_.first().time == now_);
    settle<kMode>();
    pick<kMode>();
  }
  fill_score();
  if constexpr (kMode == Mode::kNear) {
    if (has_skipped_) fill_queue_use();
  }
  return true;
}

// Below the loop, or the compiler would not draw everything into it. From the last state of the base before the first
// difference; what no difference reaches is skipped on the way.
bool Engine::simulate_near(const Plan& plan) {
  events_ = 0;
  find_effects(plan);
  const std::size_t first = std::min(dirty_.next(0), base_->num_checkpoints - 1);
  const bool at_start = first == 0 && !begin_like_base();
  if (first > 0 || at_start) {
    restore(base_->checkpoints[first]);
    patch(plan);
  }
  if (is_late()) return false;
  find_next_skip(first + 1);
  if (at_start) begin<Mode::kNear>();
  return run_to_end<Mode::kNear>();
}

template <Mode kMode>
void Engine::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kOpEnd: {
      const std::uint32_t device = device_of(event.item);
      ++devices_[device].idle_lanes;
      freed_devices_ |= DeviceSet{1} << device;
      end_node<kMode>(event.item);
      break;
    }
    case Event::Kind::kTransferEnd:
      end_hop<kMode>(event.item);
      break;
    case Event::Kind::kControl:
      ++events_;
      --under_way_;
      arrive_at_node(event.item);
      break;
  }
}

// Rule 2: whatever takes no time is done the moment it is ready.
template <Mode kMode>
void Engine::settle() {
  while (num_arrived_ > 0) {
    const std::uint32_t node = arrived_[--num_arrived_];
    if constexpr (kMode == Mode::kTimeline) timeline_.op_ready[node] = now_;
    if constexpr (kMode == Mode::kBase) base_->ready_instant[node] = static_cast<std::uint32_t>(base_->time.size());
    const std::uint32_t device = device_of(node);
    const FlatGraph::Start start = starts_[first_start_[device] + node];
    if (start.duration > 0) {
      ready_[num_ready_++] = node;
      continue;
    }
    allocate(device, start.bytes, node);
    end_node<kMode>(node);
  }
}

// Called when one more thing a node waited for is there.
void Engine::arrive_at_node(std::uint32_t node) {
  if ((words_[node] -= kOneWait) < kOneWait) arrived_[num_arrived_++] = node;
}

template <Mode kMode>
void Engine::end_node(std::uint32_t node) {
  ++events_;
  if constexpr (kMode == Mode::kTimeline) timeline_.op_end[node] = now_;
  if constexpr (kMode == Mode::kBase) base_->end_instant[node] = static_cast<std::uint32_t>(base_->time.size());
  const std::uint32_t device = device_of(node);
  const std::uint32_t* at = script_ + node_begin_[node];
  const std::uint32_t looks_at = *at++;
  for (std::uint32_t left = *at++; left > 0; --left) at = publish<kMode>(at, device, looks_at);
  for (std::uint32_t left = *at++; left > 0; --left) send_control(*at++, device);
  for (std::uint32_t left = *at++; left > 0; --left) release(*at++, device);
}

// Tells local consumers, asks for one transfer per other device (rule 3), and counts what keeps the storage alive (rule
// 5). Returns where the next output stands.
template <Mode kMode>
const std::uint32_t* Engine::publish(const std::uint32_t* output, std::uint32_t device, std::uint32_t looks_at) {
  const std::uint32_t tensor = output[0], first_uses = output[1];
  const std::uint32_t *const readers = output + 3, *const end = readers + output[2];
  const Told told = tell(readers, end, device);
  const std::uint32_t uses = first_uses + told.here + told.others;
  std::uint32_t* const uses_here = uses_on(device);
  if ((first_uses & FlatGraph::kIsView) == 0) {
    uses_here[tensor] = uses;
    if (uses == 0) devices_[device].held -= bytes_[tensor];
  } else {
    const std::uint32_t storage = storage_of(looks_at, uses_here);
    uses_here[tensor] = storage | kIsShared;
    uses_here[storage] += uses & ~FlatGraph::kIsView;
  }
  if constexpr (kMode == Mode::kBase) base_->appear(device * flat_.num_tensors() + tensor);
  for (DeviceSet rest = told.elsewhere; rest != 0; rest &= rest - 1) {
    request<kMode>(tensor, device, static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
  return end;
}

// Readers on the device that has just made a tensor have one thing less to wait for.
Engine::Told Engine::tell(const std::uint32_t* readers, const std::uint32_t* end, std::uint32_t device) {
  Told told{0, 0, 0};
  for (; readers != end; ++readers) {
    std::uint32_t& word = words_[*readers];
    if (const std::uint32_t where = word & kDeviceMask; where != device) {
      const DeviceSet other = DeviceSet{1} << where;
      told.others += static_cast<std::uint32_t>((told.elsewhere & other) == 0);
      told.elsewhere |= other;
      continue;
    }
    ++told.here;
    word -= kOneWait;
    if (word < kOneWait) arrived_[num_arrived_++] = *readers;
  }
  return told;
}

// The same where a copy has arrived. Which of the readers are there, and who has now all it waits for, is a coin toss:
// so no branches.
std::uint32_t Engine::tell_at(const std::uint32_t* readers, const std::uint32_t* end, std::uint32_t device) {
  std::uint32_t* const words = words_.data();
  std::uint32_t* arrived = arrived_.data() + num_arrived_;
  std::uint32_t uses = 0;
  for (; readers != end; ++readers) {
    const std::uint32_t word = words[*readers];
    const auto here = static_cast<std::uint32_t>((word & kDeviceMask) == device);
    const std::uint32_t left = word - here * kOneWait;
    words[*readers] = left;
    *arrived = *readers;
    arrived += here & static_cast<std::uint32_t>(left < kOneWait);
    uses += here;
  }
  num_arrived_ = static_cast<std::size_t>(arrived - arrived_.data());
  return uses;
}

void Engine::send_control(std::uint32_t after, std::uint32_t device) {
  const Picoseconds latency = problem_.control_latency(DeviceId(device), DeviceId(device_of(after)));
  if (latency == 0) return arrive_at_node(after);
  ++under_way_;
  queue_of_events_.push({now_ + latency, Event::Kind::kControl, after});
}

// The tensor whose copy on a device holds this one.
std::uint32_t Engine::storage_of(std::uint32_t tensor, const std::uint32_t* uses) {
  return (uses[tensor] & kIsShared) == 0 ? tensor : uses[tensor] & ~kIsShared;
}

// One use of a tensor on a device has ended.
void Engine::release(std::uint32_t tensor, std::uint32_t device) {
  std::uint32_t* const uses = uses_on(device);
  const std::uint32_t storage = storage_of(tensor, uses);
  if (--uses[storage] == 0) devices_[device].held -= bytes_[storage];
}

// What is held then counts at the end of the instant.
void Engine::allocate(std::uint32_t device, Bytes bytes, std::uint32_t allocator) {
  if (bytes == 0) return;
  devices_[device].held += bytes;
  devices_[device].last_allocator = allocator;
  grown_devices_ |= DeviceSet{1} << device;
}

template <Mode kMode>
void Engine::request(std::uint32_t tensor, std::uint32_t from, std::uint32_t to) {
  std::uint32_t id = unused_transfer_;
  if (id == kNone) {
    id = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    unused_transfer_ = transfers_[id].next;
  }
  ++under_way_;
  transfers_[id] = {0,
                    bytes_[tensor],
                    tensor,
                    kNone,
                    first_hop_[from * devices_.size() + to],
                    static_cast<std::uint8_t>(from),
                    static_cast<std::uint8_t>(to),
                    true};
  advance<kMode>(id);
}

// Brings a transfer through hops that take no time to the next one that does: into its queue, or onto an uncontended
// channel.
template <Mode kMode>
void Engine::advance(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  for (;;) {
    const Hop& hop = hops_[transfer.hop];
    transfer.duration = hop_time(hop, transfer.bytes);
    if (transfer.duration > 0 && hop.queue >= 0) {
      requests_.push_back({order_of(transfer.tensor, transfer.to), static_cast<std::uint32_t>(hop.queue), id});
      return;
    }
    if (hop.last) allocate(transfer.to, transfer.bytes, transfer.tensor | kOfCopy);
    if (transfer.duration > 0) return queue_of_events_.push({now_ + transfer.duration, Event::Kind::kTransferEnd, id});
    if (!leave_hop<kMode>(id)) return;
  }
}

// Ends the present hop; true if there is another one.
template <Mode kMode>
bool Engine::leave_hop(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  if (transfer.first) release(transfer.tensor, transfer.from);
  transfer.first = false;
  if (!hops_[transfer.hop++].last) return true;
  deliver<kMode>(transfer);
  --under_way_;
  transfer.next = unused_transfer_;
  unused_transfer_ = id;
  return false;
}

template <Mode kMode>
void Engine::end_hop(std::uint32_t id) {
  ++events_;
  const Transfer& transfer = transfers_[id];
  if (const int queue = hops_[transfer.hop].queue; queue >= 0) {
    queues_[static_cast<std::size_t>(queue)].busy = false;
    touch_queue(static_cast<std::uint32_t>(queue));
  } else if constexpr (kMode == Mode::kTimeline) {
    record_transfer(transfer, now_ - transfer.duration);
  }
  if (leave_hop<kMode>(id)) advance<kMode>(id);
}

void Engine::touch_queue(std::uint32_t id) {
  if (!queues_[id].touched) touched_queues_.push_back(id);
  queues_[id].touched = true;
}

// A copy has arrived: its consumers there hold it from now on.
template <Mode kMode>
void Engine::deliver(const Transfer& transfer) {
  const std::uint32_t* const readers = script_ + tensor_begin_[transfer.tensor] + 3;
  uses_on(transfer.to)[transfer.tensor] = tell_at(readers, readers + readers[-1], transfer.to);
  if constexpr (kMode == Mode::kBase) base_->appear(transfer.to * flat_.num_tensors() + transfer.tensor);
}

// The second half of an instant: demands queue up in order, then idle lanes and links take the next.
template <Mode kMode>
void Engine::pick() {
  if (num_ready_ > 1) sort_few(std::span(ready_.data(), num_ready_), std::less<>());
  if (equal_priorities_) {
    start_in_order_of_readiness<kMode>();
  } else {
    start_by_priority<kMode>();
  }
  freed_devices_ = 0;
  num_ready_ = 0;
  if (!requests_.empty()) queue_requests();
  for (const std::uint32_t queue : touched_queues_) {
    queues_[queue].touched = false;
    if (!queues_[queue].busy && queues_[queue].head != kNone) start_transfer<kMode>(queue);
  }
  touched_queues_.clear();
}

// What has been ready for longer goes first; only what finds no idle lane is listed at all.
template <Mode kMode>
void Engine::start_in_order_of_readiness() {
  for (DeviceSet freed = freed_devices_; freed != 0; freed &= freed - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(freed));
    DeviceState& device = devices_[id];
    while (device.idle_lanes > 0 && device.head != kNone) {
      const std::uint32_t node = device.head;
      device.head = next_ready_[node];
      start_node<kMode>(node, id);
    }
  }
  for (std::size_t i = 0; i < num_ready_; ++i) {
    const std::uint32_t node = ready_[i], id = device_of(node);
    if (devices_[id].idle_lanes > 0) {
      start_node<kMode>(node, id);
    } else {
      list_ready(node, devices_[id]);
    }
  }
}

// What has just become ready, mostly alone, is mostly more urgent than all that waits: it need not queue up.
template <Mode kMode>
bool Engine::starts_at_once() {
  if (num_ready_ != 1) return false;
  const std::uint32_t node = ready_[0], id = device_of(node);
  const ReadyQueue& waiting = ready_of_[id];
  if (devices_[id].idle_lanes == 0) return false;
  if (!waiting.empty() && !ReadyEntry{urgency(node), ready_order_, node}.before(waiting.first())) return false;
  ++ready_order_;
  start_node<kMode>(node, id);
  return true;
}

template <Mode kMode>
void Engine::start_by_priority() {
  if (starts_at_once<kMode>()) num_ready_ = 0;
  DeviceSet touched = freed_devices_;
  for (std::size_t i = 0; i < num_ready_; ++i) {
    const std::uint32_t node = ready_[i], id = device_of(node);
    ready_of_[id].push({urgency(node), ready_order_++, node});
    touched |= DeviceSet{1} << id;
  }
  for (; touched != 0; touched &= touched - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(touched));
    while (devices_[id].idle_lanes > 0 && !ready_of_[id].empty()) start_node<kMode>(ready_of_[id].pop().node, id);
  }
}

void Engine::list_ready(std::uint32_t node, DeviceState& device) {
  next_ready_[node] = kNone;
  (device.head == kNone ? device.head : next_ready_[device.tail]) = node;
  device.tail = node;
}

void Engine::queue_requests() {
  sort_few(std::span(requests_), [](const Request& a, const Request& b) { return a.order < b.order; });
  for (const Request& request : requests_) {
    Queue& queue = queues_[request.queue];
    (queue.head == kNone ? queue.head : transfers_[queue.tail].next) = request.transfer;
    queue.tail = request.transfer;
    transfers_[request.transfer].next = kNone;
    touch_queue(request.queue);
  }
  requests_.clear();
}

template <Mode kMode>
void Engine::start_node(std::uint32_t node, std::uint32_t id) {
  DeviceState& device = devices_[id];
  if constexpr (kMode == Mode::kBounded || kMode == Mode::kNear) late_ |= is_late(device);
  if constexpr (kMode == Mode::kBase) base_->start_rank[node] = started_++;
  if constexpr (kMode == Mode::kNear) {
    ++started_;
    rank_end_ = std::max(rank_end_, base_->start_rank[node] + 1);
  }
  const FlatGraph::Start start = starts_[first_start_[id] + node];
  __builtin_prefetch(script_ + node_begin_[node]);  // read when it ends
  --device.idle_lanes;
  queue_of_events_.push({now_ + start.duration, Event::Kind::kOpEnd, node});
  device.busy += start.duration;
  allocate(id, start.bytes, node);
  if constexpr (kMode == Mode::kTimeline)
    timeline_.ops.push_back({OpId{node}, DeviceId(id), 0, now_, now_ + start.duration});
}

bool Engine::is_late() const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const DeviceState& device) { return is_late(device); });
}

// What a device has yet to start shares its lanes from now on.
bool Engine::is_late(const DeviceState& device) const {
  Picoseconds work = device.total_work - device.busy;
  if (device.lanes > 1) work = (work + device.lanes - 1) / device.lanes;
  return work > cutoff_ - now_;
}

template <Mode kMode>
void Engine::start_transfer(std::uint32_t id) {
  Queue& queue = queues_[id];
  const Transfer& transfer = transfers_[queue.head];
  queue_of_events_.push({now_ + transfer.duration, Event::Kind::kTransferEnd, queue.head});
  queue.head = transfer.next;
  queue.busy = true;
  __builtin_prefetch(script_ + tensor_begin_[transfer.tensor]);
  if (hops_[transfer.hop].last) allocate(transfer.to, transfer.bytes, transfer.tensor | kOfCopy);
  score_.queues[id].busy += transfer.duration;
  score_.queues[id].bytes += transfer.bytes;
  if constexpr (kMode == Mode::kTimeline) record_transfer(transfer, now_);
}

// Rule 5: what is held between this instant and the next.
void Engine::note_peaks() {
  for (; grown_devices_ != 0; grown_devices_ &= grown_devices_ - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(grown_devices_));
    DeviceState& device = devices_[id];
    if (device.held > device.peak) {
      device.peak = device.held;
      device.peak_time = now_;
      device.peak_allocator = device.last_allocator;
    }
    if (!pools_.empty()) note_pool_peak(id);
  }
}

void Engine::note_pool_peak(std::uint32_t grown) {
  const Machine& machine = problem_.machine();
  const int pool = machine.pool_of(DeviceId(grown));
  if (pool < 0) return;
  Bytes held = 0;
  for (const DeviceId id : machine.device_ids()) {
    if (machine.pool_of(id) == pool) held += devices_[index(id)].held;
  }
  PoolState& state = pools_[static_cast<std::size_t>(pool)];
  if (held > state.peak) state = {held, now_, devices_[grown].last_allocator, static_cast<std::uint8_t>(grown)};
}

// Used elsewhere as well.
template void Engine::settle<Mode::kNear>();
template void Engine::pick<Mode::kNear>();
template void Engine::request<Mode::kNear>(std::uint32_t tensor, std::uint32_t from, std::uint32_t to);

}  // namespace berth
