// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.h"

#include <algorithm>
#include <bit>

namespace berth {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
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

Engine::Engine(const Problem& problem) : problem_(problem), flat_(flatten(problem)), graph_(&flat_) {
  const Machine& machine = problem.machine();
  const std::size_t devices = machine.num_devices();
  nodes_.resize(flat_.num_nodes());
  duration_.resize(flat_.num_nodes());
  next_ready_.resize(flat_.num_nodes());
  tensors_.resize(flat_.num_tensors());
  shift_ = static_cast<unsigned>(std::bit_width(devices - 1));
  received_at_.resize(flat_.num_tensors() << shift_);
  devices_.resize(devices);
  pools_.resize(machine.pools().size());
  queues_.resize(machine.queues().size());
  score_.devices.resize(devices);
  score_.pool_peaks.resize(pools_.size());
  score_.queues.resize(queues_.size());
  for (const OpId op : problem.graph().ops()) resident_.push_back(problem.graph().resident_bytes(op));
}

const Score& Engine::run(const Plan& plan) {
  simulate<false>(plan);
  return score_;
}

Timeline Engine::run_with_timeline(const Plan& plan) {
  timeline_ = Timeline();
  timeline_.op_end.assign(flat_.num_nodes(), 0);
  timeline_.op_ready.assign(flat_.num_nodes(), 0);
  simulate<true>(plan);
  finish_timeline(plan);
  return std::move(timeline_);
}

template <bool kRecord>
void Engine::simulate(const Plan& plan) {
  reset(plan);
  for (std::uint32_t node = 0; node < graph_->num_nodes(); ++node) {
    if (nodes_[node].waits == 0 && graph_->storage[node] != FlatGraph::Storage::kAbsent) arrive_at_node(node);
  }
  settle<kRecord>();
  pick<kRecord>();
  while (!queue_of_events_.empty()) {
    note_peaks();  // only now: at the last instant of all every lifetime has ended
    now_ = queue_of_events_.next_time();
    do {
      handle<kRecord>(queue_of_events_.pop());
    } while (!queue_of_events_.empty() && queue_of_events_.next_time() == now_);
    settle<kRecord>();
    pick<kRecord>();
  }
  fill_score();
}

void Engine::reset(const Plan& plan) {
  graph_ = &flat_;
  if (!plan.fusions.empty()) {
    fused_ = flatten_fused(problem_, plan, flat_);
    graph_ = &fused_;
  }
  now_ = 0;
  events_ = 0;
  ready_order_ = 0;
  received_.clear();
  transfers_.clear();
  for (Queue& queue : queues_) queue = {kNone, kNone, false, false};
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    DeviceState& device = devices_[i];
    device.head = device.tail = kNone;
    device.heap.clear();
    device.idle_lanes = problem_.machine().devices()[i].lanes;
    device.busy = device.peak_time = 0;
    device.held = 0;
    device.last_allocator = device.peak_op = kNone;
  }
  for (QueueUse& use : score_.queues) use = {};
  reset_nodes(plan);
  set_priorities(plan);
  for (DeviceState& device : devices_) device.peak = device.held;
  for (PoolState& pool : pools_) pool = {0, 0, kNone, 0};
  for (const DeviceId id : problem_.machine().device_ids()) {
    if (const int pool = problem_.machine().pool_of(id); pool >= 0) {
      pools_[static_cast<std::size_t>(pool)].peak += devices_[index(id)].held;
      pools_[static_cast<std::size_t>(pool)].peak_device = static_cast<std::uint8_t>(id);
    }
  }
}

void Engine::reset_nodes(const Plan& plan) {
  const auto classes = static_cast<std::size_t>(graph_->num_classes);
  for (std::uint32_t node = 0; node < graph_->num_nodes(); ++node) {
    const DeviceId device = plan.device_of[node];
    duration_[node] = graph_->durations[node * classes + static_cast<std::size_t>(problem_.device_class(device))];
    nodes_[node] = {graph_->num_waits[node], static_cast<std::uint8_t>(device), duration_[node] == 0};
    devices_[index(device)].held += resident_[node];
  }
}

// Rule 1 and 6: a fused group has the highest priority of its members.
void Engine::set_priorities(const Plan& plan) {
  const auto& given = plan.priority;
  equal_priorities_ = std::adjacent_find(given.begin(), given.end(), std::not_equal_to<>()) == given.end();
  if (equal_priorities_) return;
  priority_ = given;
  for (const auto& group : plan.fusions) {
    const OpId leader = *std::min_element(group.begin(), group.end());
    for (const OpId op : group) priority_[index(leader)] = std::max(priority_[index(leader)], given[index(op)]);
  }
}

template <bool kRecord>
void Engine::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kOpEnd: {
      const std::uint8_t device = nodes_[event.item].device;
      ++devices_[device].idle_lanes;
      touched_devices_ |= DeviceSet{1} << device;
      end_node<kRecord>(event.item);
      break;
    }
    case Event::Kind::kTransferEnd:
      end_hop<kRecord>(event.item);
      break;
    case Event::Kind::kControl:
      ++events_;
      arrive_at_node(event.item);
      break;
  }
}

// Rule 2: whatever takes no time is done the moment it is ready.
template <bool kRecord>
void Engine::settle() {
  while (!timeless_.empty()) {
    const std::uint32_t node = timeless_.back();
    timeless_.pop_back();
    if constexpr (kRecord) timeline_.op_ready[node] = now_;
    if (const Bytes bytes = graph_->output_bytes[node]; bytes > 0) allocate(nodes_[node].device, bytes, node);
    end_node<kRecord>(node);
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

template <bool kRecord>
void Engine::end_node(std::uint32_t node) {
  ++events_;
  if constexpr (kRecord) timeline_.op_end[node] = now_;
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
    } else {
      destinations |= DeviceSet{1} << where;
    }
  }
  uses += static_cast<std::uint32_t>(std::popcount(destinations));
  Tensor& state = tensors_[tensor];
  state.home = device;
  state.storage = tensor;
  switch (graph_->storage[node]) {
    case FlatGraph::Storage::kOwn:
      state.uses = uses;
      if (uses == 0) devices_[device].held -= graph_->bytes[tensor];
      break;
    case FlatGraph::Storage::kAlias: {
      const std::uint32_t base = graph_->alias_of[node];
      const bool local = tensors_[base].home == device;
      state.storage = local ? tensors_[base].storage : received_at_[(std::size_t{base} << shift_) | device];
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
      queue_of_events_.push({now_ + latency, Event::Kind::kControl, after});
    }
  }
}

void Engine::release_inputs(std::uint32_t node, std::uint8_t device) {
  for (const std::uint32_t tensor : graph_->inputs_of(node)) {
    const Tensor& state = tensors_[tensor];
    release_storage(state.home == device ? state.storage : received_at_[(std::size_t{tensor} << shift_) | device],
                    device);
  }
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
  transfers_.push_back({0, tensor, kNone, from, to, 0});
  advance(static_cast<std::uint32_t>(transfers_.size() - 1));
}

// Brings a transfer to the first hop that takes time: a queue, or an uncontended channel.
void Engine::advance(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  const auto hops = route(transfer.from, transfer.to);
  for (;; ++transfer.hop) {
    if (transfer.hop == hops.size()) return deliver(transfer);
    const bool last = transfer.hop + 1U == hops.size();
    const std::uint16_t channel = hops[transfer.hop];
    transfer.duration = problem_.transfer_time(graph_->bytes[transfer.tensor], channel);
    const int queue = problem_.machine().channels()[channel].queue;
    if (transfer.duration > 0 && queue >= 0) {
      const std::uint64_t order = (std::uint64_t{transfer.tensor} << 8) | transfer.to;
      requests_.push_back({static_cast<std::uint32_t>(queue), order, id});
      return;
    }
    if (last) allocate(transfer.to, graph_->bytes[transfer.tensor], graph_->producer[transfer.tensor]);
    if (transfer.duration > 0) {
      queue_of_events_.push({now_ + transfer.duration, Event::Kind::kTransferEnd, id});
      return;
    }
    if (transfer.hop == 0) release_storage(tensors_[transfer.tensor].storage, transfer.from);
  }
}

template <bool kRecord>
void Engine::end_hop(std::uint32_t id) {
  ++events_;
  Transfer& transfer = transfers_[id];
  const std::uint16_t channel = route(transfer.from, transfer.to)[transfer.hop];
  if (const int queue = problem_.machine().channels()[channel].queue; queue >= 0) {
    Queue& state = queues_[static_cast<std::size_t>(queue)];
    state.busy = false;
    if (!state.touched) touched_queues_.push_back(static_cast<std::uint32_t>(queue));
    state.touched = true;
  } else if constexpr (kRecord) {
    record_transfer<kRecord>(transfer, channel);
  }
  if (transfer.hop == 0) release_storage(tensors_[transfer.tensor].storage, transfer.from);
  ++transfer.hop;
  advance(id);
}

// A copy has arrived: its consumers there hold it from now on.
void Engine::deliver(const Transfer& transfer) {
  const auto storage = static_cast<std::uint32_t>(tensors_.size() + received_.size());
  received_at_[(std::size_t{transfer.tensor} << shift_) | transfer.to] = storage;
  std::uint32_t uses = 0;
  for (const std::uint32_t consumer : graph_->consumers_of(transfer.tensor)) {
    if (nodes_[consumer].device != transfer.to) continue;
    ++uses;
    arrive_at_node(consumer);
  }
  received_.push_back({transfer.tensor, uses});
}

// The second half of an instant: demands queue up in order, then idle lanes and links take the next.
template <bool kRecord>
void Engine::pick() {
  if (!ready_.empty()) {
    if constexpr (kRecord) {
      for (const std::uint32_t node : ready_) timeline_.op_ready[node] = now_;
    }
    queue_ready_nodes();
  }
  if (!requests_.empty()) queue_requests();
  for (; touched_devices_ != 0; touched_devices_ &= touched_devices_ - 1) {
    const auto id = static_cast<std::uint8_t>(std::countr_zero(touched_devices_));
    DeviceState& device = devices_[id];
    while (device.idle_lanes > 0 && has_ready(device)) start_node<kRecord>(take_ready(device), id);
  }
  for (const std::uint32_t queue : touched_queues_) {
    queues_[queue].touched = false;
    if (!queues_[queue].busy && queues_[queue].head != kNone) start_transfer<kRecord>(queue);
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
      next_ready_[node] = kNone;
      (device.head == kNone ? device.head : next_ready_[device.tail]) = node;
      device.tail = node;
    } else {
      device.heap.push_back({priority_[node], ready_order_++, node});
      std::push_heap(device.heap.begin(), device.heap.end(), [](const ReadyEntry& a, const ReadyEntry& b) {
        return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
      });
    }
  }
  ready_.clear();
}

void Engine::queue_requests() {
  sort_few(requests_, [](const Request& a, const Request& b) { return a.order < b.order; });
  for (const Request& request : requests_) {
    Queue& queue = queues_[request.queue];
    (queue.head == kNone ? queue.head : transfers_[queue.tail].next) = request.transfer;
    queue.tail = request.transfer;
    transfers_[request.transfer].next = kNone;
    if (!queue.touched) touched_queues_.push_back(request.queue);
    queue.touched = true;
  }
  requests_.clear();
}

bool Engine::has_ready(const DeviceState& device) const {
  return equal_priorities_ ? device.head != kNone : !device.heap.empty();
}

std::uint32_t Engine::take_ready(DeviceState& device) {
  if (equal_priorities_) {
    const std::uint32_t node = device.head;
    device.head = next_ready_[node];
    return node;
  }
  std::pop_heap(device.heap.begin(), device.heap.end(), [](const ReadyEntry& a, const ReadyEntry& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.order > b.order;
  });
  const std::uint32_t node = device.heap.back().node;
  device.heap.pop_back();
  return node;
}

template <bool kRecord>
void Engine::start_node(std::uint32_t node, std::uint8_t id) {
  DeviceState& device = devices_[id];
  --device.idle_lanes;
  device.busy += duration_[node];
  if (const Bytes bytes = graph_->output_bytes[node]; bytes > 0) allocate(id, bytes, node);
  queue_of_events_.push({now_ + duration_[node], Event::Kind::kOpEnd, node});
  if constexpr (kRecord) timeline_.ops.push_back({OpId{node}, DeviceId{id}, 0, now_, now_ + duration_[node]});
}

template <bool kRecord>
void Engine::start_transfer(std::uint32_t id) {
  Queue& queue = queues_[id];
  Transfer& transfer = transfers_[queue.head];
  queue_of_events_.push({now_ + transfer.duration, Event::Kind::kTransferEnd, queue.head});
  queue.head = transfer.next;
  queue.busy = true;
  const auto hops = route(transfer.from, transfer.to);
  const Bytes bytes = graph_->bytes[transfer.tensor];
  if (transfer.hop + 1U == hops.size()) allocate(transfer.to, bytes, graph_->producer[transfer.tensor]);
  score_.queues[id].busy += transfer.duration;
  score_.queues[id].bytes += bytes;
  if constexpr (kRecord) {
    timeline_.transfers.push_back({TensorId{transfer.tensor}, DeviceId{transfer.from}, DeviceId{transfer.to},
                                   hops[transfer.hop], now_, now_ + transfer.duration, bytes});
  }
}

template <bool kRecord>
void Engine::record_transfer(const Transfer& transfer, int channel) {
  timeline_.transfers.push_back({TensorId{transfer.tensor}, DeviceId{transfer.from}, DeviceId{transfer.to}, channel,
                                 now_ - transfer.duration, now_, graph_->bytes[transfer.tensor]});
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
    judge(over, {id, -1, OpId{device.peak_op}, device.peak_time, over});
  }
  for (int pool = 0; pool < static_cast<int>(pools_.size()); ++pool) {
    const PoolState& state = pools_[static_cast<std::size_t>(pool)];
    const Bytes over = state.peak - problem_.pool_capacity(pool);
    judge(over, {DeviceId{state.peak_device}, pool, OpId{state.peak_op}, state.peak_time, over});
  }
  score_.feasible = !score_.overflow.has_value();
}

void Engine::finish_timeline(const Plan& plan) {
  timeline_.score = score_;
  for (const auto& group : plan.fusions) {
    const OpId leader = *std::min_element(group.begin(), group.end());
    for (const OpId op : group) {
      timeline_.op_end[index(op)] = timeline_.op_end[index(leader)];
      timeline_.op_ready[index(op)] = timeline_.op_ready[index(leader)];
    }
  }
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
