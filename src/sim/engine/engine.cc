// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/engine.h"

#include <algorithm>
#include <bit>

#include "sim/engine/engine_base.h"

namespace berth {
namespace {

constexpr std::uint32_t kForever = 0x40000000U;  // uses of a storage that is never freed

// Most instants bring one or two items; std::sort is for the crowd at time 0.
template <typename T, typename Less>
void sort_few(std::vector<T>& items, Less less) {
  if (items.size() > 16) {
    std::sort(items.begin(), items.end(), less);
    return;
  }
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
  cutoff_ = cutoff;
  const bool near = has_base_ && find_changes(plan);
  return (near ? simulate_near(plan) : simulate<Mode::kBounded>(plan)) ? &score_ : nullptr;
}

void Engine::rebase(const Plan& plan) {
  has_base_ = plan.fusions.empty();  // fused graphs are drawn together anew for every plan: nothing to share
  if (!has_base_) return;
  begin_base(plan);
  simulate<Mode::kBase>(plan);
  end_base();
}

Timeline Engine::run_with_timeline(const Plan& plan) {
  timeline_ = Timeline();
  record_timeline(plan);
  finish_timeline();
  return std::move(timeline_);
}

const Score& Engine::run_with_times(const Plan& plan, std::vector<Picoseconds>& ready, std::vector<Picoseconds>& end) {
  timeline_.ops.clear();
  timeline_.transfers.clear();
  timeline_.op_ready.swap(ready);
  timeline_.op_end.swap(end);
  record_timeline(plan);
  timeline_.op_ready.swap(ready);
  timeline_.op_end.swap(end);
  return score_;
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
  if constexpr (kMode == Mode::kBase) save(base_->start, kNone);
  if constexpr (kMode == Mode::kBounded) {
    if (is_late()) return false;
  }
  begin<kMode>();
  return run_to_end<kMode>();
}

// The instant 0.
template <Mode kMode>
void Engine::begin() {
  for (const std::uint32_t node : graph_->sources) arrive_at_node(node);
  settle<kMode>();
  pick<kMode>();
}

bool Engine::simulate_near(const Plan& plan) {
  prepare_rejoin(plan);
  const Checkpoint& checkpoint = checkpoint_before(first_effect(plan));
  restore(checkpoint);
  patch(plan);
  if (is_late()) return false;
  if (&checkpoint == &base_->start) begin<Mode::kNear>();
  return run_to_end<Mode::kNear>();
}

// Everything below is drawn into this loop: a call per step of an event would cost as much as the step.
template <Mode kMode>
[[gnu::flatten]] bool Engine::run_to_end() {
  while (!queue_of_events_.empty()) {
    note_peaks();  // only now: at the last instant of all every lifetime has ended
    if constexpr (kMode == Mode::kBase) record_instant();
    if constexpr (kMode == Mode::kTimeline) record_memory();
    if constexpr (kMode == Mode::kNear) {
      if (rank_end_ == started_ && under_way_ == 0 && started_ >= rejoin_after_ && rejoin()) {
        return score_.step_time <= cutoff_;
      }
    }
    now_ = queue_of_events_.next_time();
    if constexpr (kMode == Mode::kBounded || kMode == Mode::kNear) {
      if (late_ || now_ > cutoff_) return false;
    }
    do {
      handle<kMode>(queue_of_events_.pop());
    } while (!queue_of_events_.empty() && queue_of_events_.next_time() == now_);
    settle<kMode>();
    pick<kMode>();
  }
  fill_score();
  return true;
}

template <Mode kMode>
void Engine::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kOpEnd: {
      const std::uint8_t device = nodes_[event.item].device;
      ++devices_[device].idle_lanes;
      touched_devices_ |= DeviceSet{1} << device;
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
  while (!timeless_.empty()) {
    const std::uint32_t node = timeless_.back();
    timeless_.pop_back();
    if constexpr (kMode == Mode::kTimeline) timeline_.op_ready[node] = now_;
    if constexpr (kMode == Mode::kBase) base_->ready_instant[node] = static_cast<std::uint32_t>(base_->time.size());
    if (const Bytes bytes = graph_->output_bytes[node]; bytes > 0) allocate(nodes_[node].device, bytes, node);
    end_node<kMode>(node);
  }
}

// Called when one more thing a node waited for is there (or, at time 0, when it waits for nothing).
void Engine::arrive_at_node(std::uint32_t node) {
  Node& state = nodes_[node];
  if (state.waits > 1) {
    --state.waits;
    return;
  }
  state.waits = 0;
  (state.timeless ? timeless_ : ready_).push_back(node);
}

template <Mode kMode>
void Engine::end_node(std::uint32_t node) {
  ++events_;
  if constexpr (kMode == Mode::kTimeline) timeline_.op_end[node] = now_;
  if constexpr (kMode == Mode::kBase) base_->end_instant[node] = static_cast<std::uint32_t>(base_->time.size());
  const std::uint8_t device = nodes_[node].device;
  for (const std::uint32_t tensor : graph_->outputs_of(node)) publish_output(node, tensor, device);
  send_control(node, device);
  release_inputs(node, device);
}

// Tells local consumers, asks for one transfer per other device (rule 3), and counts what keeps the storage alive (rule
// 5).
void Engine::publish_output(std::uint32_t node, std::uint32_t tensor, std::uint8_t device) {
  std::uint32_t uses = graph_->kept[tensor];
  DeviceSet destinations = 0;
  for (const std::uint32_t consumer : graph_->consumers_of(tensor)) {
    const std::uint8_t where = nodes_[consumer].device;
    if (where == device) {
      ++uses;
      arrive_at_node(consumer);
    } else if (const DeviceSet bit = DeviceSet{1} << where; (destinations & bit) == 0) {
      ++uses;
      destinations |= bit;
    }
  }
  Tensor& state = tensors_[tensor];
  state = {tensor, 0, kNone, device};
  switch (graph_->storage[node]) {
    case FlatGraph::Storage::kOwn:
      state.uses = uses;
      if (uses == 0) devices_[device].held -= graph_->bytes[tensor];
      break;
    case FlatGraph::Storage::kAlias: {
      state.storage = storage_on(graph_->alias_of[node], device);
      if (state.storage < tensors_.size()) {
        tensors_[state.storage].uses += uses;
      } else {
        received_[state.storage - tensors_.size()].uses += uses;
      }
      break;
    }
    default:
      state.uses = kForever;
  }
  for (; destinations != 0; destinations &= destinations - 1) {
    request(tensor, device, static_cast<std::uint8_t>(std::countr_zero(destinations)));
  }
}

void Engine::send_control(std::uint32_t node, std::uint8_t device) {
  for (const std::uint32_t after : graph_->control_of(node)) {
    const Picoseconds latency = problem_.control_latency(DeviceId{device}, DeviceId{nodes_[after].device});
    if (latency == 0) {
      arrive_at_node(after);
    } else {
      ++under_way_;
      queue_of_events_.push({now_ + latency, Event::Kind::kControl, after});
    }
  }
}

void Engine::release_inputs(std::uint32_t node, std::uint8_t device) {
  for (const std::uint32_t tensor : graph_->inputs_of(node)) release_storage(storage_on(tensor, device), device);
}

// Storage of the copy of a tensor on a device where it is known to be.
std::uint32_t Engine::storage_on(std::uint32_t tensor, std::uint8_t device) const {
  const Tensor& state = tensors_[tensor];
  if (state.home == device) return state.storage;
  std::uint32_t copy = state.received;
  while (received_[copy].device != device) copy = received_[copy].next;
  return static_cast<std::uint32_t>(tensors_.size()) + copy;
}

void Engine::release_storage(std::uint32_t storage, std::uint8_t device) {
  if (storage < tensors_.size()) {
    if (--tensors_[storage].uses == 0) devices_[device].held -= graph_->bytes[storage];
  } else {
    ReceivedCopy& copy = received_[storage - tensors_.size()];
    if (--copy.uses == 0) devices_[device].held -= graph_->bytes[copy.tensor];
  }
}

void Engine::allocate(std::uint8_t device, Bytes bytes, std::uint32_t op) {
  devices_[device].held += bytes;
  devices_[device].last_allocator = op;
  grown_devices_ |= DeviceSet{1} << device;
}

void Engine::request(std::uint32_t tensor, std::uint8_t from, std::uint8_t to) {
  std::uint32_t id = unused_transfer_;
  if (id == kNone) {
    id = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    unused_transfer_ = transfers_[id].next;
  }
  ++under_way_;
  transfers_[id] = {0, tensor, kNone, first_hop_[from * devices_.size() + to], from, to, true};
  advance(id);
}

// Brings a transfer through hops that take no time to the next one that does: into its queue, or onto an uncontended
// channel.
void Engine::advance(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  const Bytes bytes = graph_->bytes[transfer.tensor];
  for (;;) {
    const Hop& hop = hops_[transfer.hop];
    transfer.duration = hop_time(hop, bytes);
    if (transfer.duration > 0 && hop.queue >= 0) {
      const std::uint64_t order = (std::uint64_t{transfer.tensor} << 8) | transfer.to;
      requests_.push_back({static_cast<std::uint32_t>(hop.queue), order, id});
      return;
    }
    if (hop.last) allocate(transfer.to, bytes, graph_->producer[transfer.tensor]);
    if (transfer.duration > 0) return queue_of_events_.push({now_ + transfer.duration, Event::Kind::kTransferEnd, id});
    if (!leave_hop(id)) return;
  }
}

// Ends the present hop; true if there is another one.
bool Engine::leave_hop(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  if (transfer.first) release_storage(tensors_[transfer.tensor].storage, transfer.from);
  transfer.first = false;
  if (!hops_[transfer.hop++].last) return true;
  deliver(transfer);
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
  if (leave_hop(id)) advance(id);
}

void Engine::touch_queue(std::uint32_t id) {
  if (!queues_[id].touched) touched_queues_.push_back(id);
  queues_[id].touched = true;
}

// A copy has arrived: its consumers there hold it from now on.
void Engine::deliver(const Transfer& transfer) {
  std::uint32_t uses = 0;
  for (const std::uint32_t consumer : graph_->consumers_of(transfer.tensor)) {
    if (nodes_[consumer].device != transfer.to) continue;
    ++uses;
    arrive_at_node(consumer);
  }
  Tensor& tensor = tensors_[transfer.tensor];
  received_.push_back({transfer.tensor, uses, tensor.received, transfer.to});
  tensor.received = static_cast<std::uint32_t>(received_.size() - 1);
}

// The second half of an instant: demands queue up in order, then idle lanes and links take the next.
template <Mode kMode>
void Engine::pick() {
  if (!ready_.empty()) {
    if constexpr (kMode == Mode::kTimeline) {
      for (const std::uint32_t node : ready_) timeline_.op_ready[node] = now_;
    }
    if constexpr (kMode == Mode::kBase) {
      for (const std::uint32_t node : ready_)
        base_->ready_instant[node] = static_cast<std::uint32_t>(base_->time.size());
    }
    queue_ready_nodes();
  }
  if (!requests_.empty()) queue_requests();
  for (; touched_devices_ != 0; touched_devices_ &= touched_devices_ - 1) {
    const auto id = static_cast<std::uint8_t>(std::countr_zero(touched_devices_));
    DeviceState& device = devices_[id];
    while (device.idle_lanes > 0 && has_ready(device)) start_node<kMode>(take_ready(device), id);
  }
  for (const std::uint32_t queue : touched_queues_) {
    queues_[queue].touched = false;
    if (!queues_[queue].busy && queues_[queue].head != kNone) start_transfer<kMode>(queue);
  }
  touched_queues_.clear();
}

void Engine::queue_ready_nodes() {
  sort_few(ready_, std::less<>());
  for (const std::uint32_t node : ready_) {
    const std::uint8_t id = nodes_[node].device;
    DeviceState& device = devices_[id];
    touched_devices_ |= DeviceSet{1} << id;
    if (equal_priorities_) {
      list_ready(node, device);
    } else {
      device.ready.push({urgency_[node], ready_order_++, node});
    }
  }
  ready_.clear();
}

void Engine::list_ready(std::uint32_t node, DeviceState& device) {
  next_ready_[node] = kNone;
  (device.head == kNone ? device.head : next_ready_[device.tail]) = node;
  device.tail = node;
}

void Engine::queue_requests() {
  sort_few(requests_, [](const Request& a, const Request& b) { return a.order < b.order; });
  for (const Request& request : requests_) {
    Queue& queue = queues_[request.queue];
    (queue.head == kNone ? queue.head : transfers_[queue.tail].next) = request.transfer;
    queue.tail = request.transfer;
    transfers_[request.transfer].next = kNone;
    touch_queue(request.queue);
  }
  requests_.clear();
}

bool Engine::has_ready(const DeviceState& device) const {
  return equal_priorities_ ? device.head != kNone : !device.ready.empty();
}

std::uint32_t Engine::take_ready(DeviceState& device) {
  if (!equal_priorities_) return device.ready.pop();
  const std::uint32_t node = device.head;
  device.head = next_ready_[node];
  return node;
}

template <Mode kMode>
void Engine::start_node(std::uint32_t node, std::uint8_t id) {
  DeviceState& device = devices_[id];
  if constexpr (kMode == Mode::kBounded || kMode == Mode::kNear) late_ |= is_late(device);
  if constexpr (kMode == Mode::kBase) base_->start_rank[node] = started_++;
  if constexpr (kMode == Mode::kNear) {
    ++started_;
    rank_end_ = std::max(rank_end_, base_->start_rank[node] + 1);
  }
  --device.idle_lanes;
  device.busy += duration_[node];
  if (const Bytes bytes = graph_->output_bytes[node]; bytes > 0) allocate(id, bytes, node);
  queue_of_events_.push({now_ + duration_[node], Event::Kind::kOpEnd, node});
  if constexpr (kMode == Mode::kTimeline)
    timeline_.ops.push_back({OpId{node}, DeviceId{id}, 0, now_, now_ + duration_[node]});
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
  const Bytes bytes = graph_->bytes[transfer.tensor];
  if (hops_[transfer.hop].last) allocate(transfer.to, bytes, graph_->producer[transfer.tensor]);
  score_.queues[id].busy += transfer.duration;
  score_.queues[id].bytes += bytes;
  if constexpr (kMode == Mode::kTimeline) record_transfer(transfer, now_);
}

void Engine::record_transfer(const Transfer& transfer, Picoseconds start) {
  timeline_.transfers.push_back({TensorId{transfer.tensor}, DeviceId{transfer.from}, DeviceId{transfer.to},
                                 hops_[transfer.hop].channel, start, start + transfer.duration,
                                 graph_->bytes[transfer.tensor]});
}

// Rule 5: what is held between this instant and the next.
void Engine::note_peaks() {
  for (; grown_devices_ != 0; grown_devices_ &= grown_devices_ - 1) {
    const auto id = static_cast<std::uint8_t>(std::countr_zero(grown_devices_));
    DeviceState& device = devices_[id];
    if (device.held > device.peak) {
      device.peak = device.held;
      device.peak_time = now_;
      device.peak_op = device.last_allocator;
    }
    if (!pools_.empty()) note_pool_peak(id);
  }
}

void Engine::note_pool_peak(std::uint8_t grown) {
  const Machine& machine = problem_.machine();
  const int pool = machine.pool_of(DeviceId{grown});
  if (pool < 0) return;
  Bytes held = 0;
  for (const DeviceId id : machine.device_ids()) {
    if (machine.pool_of(id) == pool) held += devices_[index(id)].held;
  }
  PoolState& state = pools_[static_cast<std::size_t>(pool)];
  if (held > state.peak) state = {held, now_, devices_[grown].last_allocator, grown};
}

}  // namespace berth
