// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/partial_run.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace berth::exact {
namespace {

constexpr Picoseconds kNoEventLeft = std::numeric_limits<Picoseconds>::max();
constexpr std::int32_t kNeverFreed = 1 << 30;  // uses of a storage that is never freed

}  // namespace

Decision PartialRun::advance() {
  for (;;) {
    const auto& early = tables_->needed_at_start;
    for (; next_early_ < static_cast<int>(early.size()); ++next_early_) {
      const int unit = early[at(next_early_)];
      if (device_of_unit(unit) < 0) return {Decision::Kind::kDevice, unit};
      for (const int op : tables_->unit_ops.of(unit)) {
        if (tables_->waits[at(op)] == 0) arrive(op);
      }
    }
    if (const Decision open = settle(); open.kind != Decision::Kind::kNone) return open;
    if (!within_limits()) return {Decision::Kind::kDead};
    if (const Decision open = queue_requests(); open.kind != Decision::Kind::kNone) return open;
    if (const Decision open = pick_ops(); open.kind != Decision::Kind::kNone) return open;
    pick_transfers();
    const Picoseconds next = next_time();
    if (next == kNoEventLeft) {
      for (int unit = 0; unit < tables_->units; ++unit) {  // parameters that nobody reads
        if (device_of_unit(unit) < 0) return {Decision::Kind::kDevice, unit};
      }
      for (std::size_t i = 0; i < peak_.size(); ++i) {
        if (peak_[i] > tables_->capacity[i]) return {Decision::Kind::kDead};
      }
      return kGoOn;
    }
    if (!note_peaks()) return {Decision::Kind::kDead};
    now_ = next;
    handle_events();
  }
}

void PartialRun::place(int unit, int device) {
  device_of_[at(unit)] = static_cast<std::int8_t>(device);
  domain_[at(unit)] = DeviceSet{1} << device;
  touched_ |= DeviceSet{1} << device;
  const int account = tables_->account[at(device)];
  for (const int op : tables_->unit_ops.of(unit)) {
    if (tables_->computes[at(op)] != 0) computing_ |= DeviceSet{1} << device;
    held_[at(account)] += tables_->resident[at(op)];
    peak_[at(account)] += tables_->resident[at(op)];
    if (tables_->quiet[at(op)] == 0 || tables_->waits[at(op)] != 0) continue;
    // There since the start, so what was ever held beside it was held in addition to it.
    if (now_ > 0 && tables_->storage[at(op)] == Storage::kOwn) {
      for (const int tensor : tables_->outputs.of(op)) {
        const bool is_used = tables_->kept[at(tensor)] != 0 || !tables_->consumers.of(tensor).empty();
        if (is_used) peak_[at(account)] += tables_->bytes[at(tensor)];
      }
    }
    arrive(op);
  }
}

void PartialRun::start(int op) {
  const int device = device_of(op);
  ready_.erase(std::find(ready_.begin(), ready_.end(), op));
  phase_[at(op)] = Phase::kRunning;
  end_[at(op)] = now_ + tables_->time(op, device);
  start_turn_[at(op)] = static_cast<std::int16_t>(started_++);
  --idle_lanes_[at(device)];
  last_started_[at(device)] = op;
  running_.push_back(op);
  allocate(device, tables_->output_bytes[at(op)]);
}

void PartialRun::order_devices(int lower, int higher) {
  const DeviceSet above = lower_than_[at(higher)] | (DeviceSet{1} << higher);
  for (int device = 0; device < tables_->devices; ++device) {
    const bool is_below = device == lower || ((lower_than_[at(device)] >> lower) & 1) != 0;
    if (is_below) lower_than_[at(device)] |= above;
  }
}

int PartialRun::unplaced_successor(int op) const {
  int found = -1;
  const auto consider = [&](int successor) {
    const int unit = tables_->unit_of[at(successor)];
    if (device_of_unit(unit) >= 0) return;
    if (found < 0 || std::popcount(domain(unit)) < std::popcount(domain(found))) found = unit;
  };
  for (const int tensor : tables_->outputs.of(op)) std::ranges::for_each(tables_->consumers.of(tensor), consider);
  std::ranges::for_each(tables_->control_out.of(op), consider);
  return found;
}

bool PartialRun::within_limits() const {
  const Constraints& constraints = tables_->problem->constraints();
  if (constraints.max_devices && std::popcount(computing_) > *constraints.max_devices) return false;
  return !constraints.max_crossings || crossings_ <= *constraints.max_crossings;
}

// Results take effect once it is known where they are wanted.
Decision PartialRun::settle() {
  while (!ended_.empty()) {
    const int op = ended_.back();
    if (const int unit = unplaced_successor(op); unit >= 0) return {Decision::Kind::kDevice, unit};
    ended_.pop_back();
    end_op(op);
  }
  return kGoOn;
}

void PartialRun::end_op(int op) {
  const int device = device_of(op);
  phase_[at(op)] = Phase::kDone;
  for (const int tensor : tables_->outputs.of(op)) publish(op, tensor, device);
  send_control(op, device);
  for (const int tensor : tables_->inputs.of(op)) release(tensor, device);
}

void PartialRun::publish(int op, int tensor, int device) {
  std::int32_t uses = tables_->kept[at(tensor)];
  DeviceSet destinations = 0;
  for (const int consumer : tables_->consumers.of(tensor)) {
    const int where = device_of(consumer);
    if (where == device) {
      ++uses;
      arrive(consumer);
    } else {
      destinations |= DeviceSet{1} << where;
    }
  }
  uses += std::popcount(destinations);
  crossings_ += std::popcount(destinations);
  std::int16_t& root = root_[cell(tensor, device)];
  root = static_cast<std::int16_t>(tensor);
  switch (tables_->storage[at(op)]) {
    case Storage::kOwn:
      uses_[cell(tensor, device)] = uses;
      if (uses == 0) allocate(device, -tables_->bytes[at(tensor)]);
      break;
    case Storage::kAlias:
      root = root_[cell(tables_->alias_of[at(op)], device)];
      uses_[cell(root, device)] += uses;
      break;
    case Storage::kResident:
      uses_[cell(tensor, device)] = kNeverFreed;
  }
  for (; destinations != 0; destinations &= destinations - 1) request(tensor, device, std::countr_zero(destinations));
}

void PartialRun::send_control(int op, int device) {
  for (const int after : tables_->control_out.of(op)) {
    const Picoseconds latency = tables_->control_latency[cell(device, device_of(after))];
    if (latency == 0) {
      arrive(after);
    } else {
      signals_.push_back({now_ + latency, after});
    }
  }
}

void PartialRun::release(int tensor, int device) {
  const int root = root_[cell(tensor, device)];
  if (--uses_[cell(root, device)] == 0) allocate(device, -tables_->bytes[at(root)]);
}

void PartialRun::allocate(int device, Bytes bytes) { held_[at(tables_->account[at(device)])] += bytes; }

void PartialRun::arrive(int op) {
  if (waits_[at(op)] > 1) {
    --waits_[at(op)];
    return;
  }
  waits_[at(op)] = 0;
  const int device = device_of(op);
  if (tables_->time(op, device) > 0) {
    phase_[at(op)] = Phase::kReady;
    ready_.push_back(op);
    return;
  }
  phase_[at(op)] = Phase::kRunning;  // until its results take effect
  end_[at(op)] = now_;
  allocate(device, tables_->output_bytes[at(op)]);
  ended_.push_back(op);
}

// Transfers: through the hops of their route, and turns in the queues.

void PartialRun::request(int tensor, int from, int to) {
  transfers_.push_back({0, tensor, from, to, tables_->first_hop[cell(from, to)], 0, Transfer::State::kRequested, true});
  touched_ |= tables_->relays[cell(from, to)];
  move_on(transfers_.back());
  if (transfers_.back().hop < 0) transfers_.pop_back();
}

// Brings a transfer through hops that take no time to the next one that does.
void PartialRun::move_on(Transfer& transfer) {
  for (;;) {
    const Hop& hop = tables_->hops[at(transfer.hop)];
    const Picoseconds time = tables_->on_channel(transfer.tensor, hop.channel);
    if (time > 0 && hop.queue >= 0) {
      transfer.state = Transfer::State::kRequested;
      return;
    }
    if (hop.last) allocate(transfer.to, tables_->bytes[at(transfer.tensor)]);
    if (time > 0) {
      transfer.state = Transfer::State::kMoving;
      transfer.end = now_ + time;
      return;
    }
    if (!leave_hop(transfer)) return;
  }
}

// Ends the present hop; false if it was the last: the copy has arrived and the transfer is over.
bool PartialRun::leave_hop(Transfer& transfer) {
  if (transfer.first) release(transfer.tensor, transfer.from);
  transfer.first = false;
  if (!tables_->hops[at(transfer.hop++)].last) return true;
  std::int32_t uses = 0;
  for (const int consumer : tables_->consumers.of(transfer.tensor)) {
    if (device_of(consumer) != transfer.to) continue;
    ++uses;
    arrive(consumer);
  }
  root_[cell(transfer.tensor, transfer.to)] = static_cast<std::int16_t>(transfer.tensor);
  uses_[cell(transfer.tensor, transfer.to)] = uses;
  transfer.hop = -1;
  return false;
}

Decision PartialRun::compare_requests(std::size_t a, std::size_t b, bool& a_first) const {
  const Transfer &x = transfers_[a], &y = transfers_[b];
  a_first = x.tensor != y.tensor ? x.tensor < y.tensor : x.to < y.to;
  if (x.tensor != y.tensor || (*device_classes_)[at(x.to)] != (*device_classes_)[at(y.to)]) return kGoOn;
  a_first = ((lower_than_[at(x.to)] >> y.to) & 1) != 0;
  if (a_first || ((lower_than_[at(y.to)] >> x.to) & 1) != 0) return kGoOn;
  return {Decision::Kind::kLowerDevice, x.to, y.to};
}

Decision PartialRun::queue_requests() {
  int requests = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i].state != Transfer::State::kRequested) continue;
    const int queue = tables_->hops[at(transfers_[i].hop)].queue;
    int before = 0;
    for (std::size_t j = 0; j < transfers_.size(); ++j) {
      if (j == i || transfers_[j].state != Transfer::State::kRequested) continue;
      if (tables_->hops[at(transfers_[j].hop)].queue != queue) continue;
      bool j_first = false;
      if (const Decision open = compare_requests(j, i, j_first); open.kind != Decision::Kind::kNone) return open;
      before += j_first ? 1 : 0;
    }
    transfers_[i].turn = turns_ + before;
    ++requests;
  }
  if (requests == 0) return kGoOn;
  turns_ += requests;
  for (Transfer& transfer : transfers_) {
    if (transfer.state == Transfer::State::kRequested) transfer.state = Transfer::State::kQueued;
  }
  return kGoOn;
}

void PartialRun::pick_transfers() {
  for (;;) {
    Transfer* next = nullptr;
    for (Transfer& transfer : transfers_) {
      if (transfer.state != Transfer::State::kQueued) continue;
      if (queue_busy_[at(tables_->hops[at(transfer.hop)].queue)] != 0) continue;
      if (next == nullptr || transfer.turn < next->turn) next = &transfer;
    }
    if (next == nullptr) return;
    const Hop& hop = tables_->hops[at(next->hop)];
    queue_busy_[at(hop.queue)] = 1;
    next->state = Transfer::State::kMoving;
    next->end = now_ + tables_->on_channel(next->tensor, hop.channel);
    if (hop.last) allocate(next->to, tables_->bytes[at(next->tensor)]);
  }
}

Decision PartialRun::pick_ops() {
  for (std::size_t i = 0; i < ready_.size();) {
    const int device = device_of(ready_[i]);
    const int idle = idle_lanes_[at(device)];
    const auto is_here = [&](int op) { return device_of(op) == device; };
    if (idle > 0) {
      if (std::ranges::count_if(ready_, is_here) > idle) return {Decision::Kind::kNext, device};
      start(ready_[i]);
    } else {
      ++i;
    }
  }
  return kGoOn;
}

bool PartialRun::note_peaks() {
  bool fits = true;
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    peak_[i] = std::max(peak_[i], held_[i]);
    fits = fits && peak_[i] <= tables_->capacity[i];
  }
  return fits;
}

Picoseconds PartialRun::next_time() const {
  Picoseconds next = kNoEventLeft;
  for (const int op : running_) next = std::min(next, end(op));
  for (const Transfer& transfer : transfers_) {
    if (transfer.state == Transfer::State::kMoving) next = std::min(next, transfer.end);
  }
  for (const Signal& signal : signals_) next = std::min(next, signal.arrival);
  return next;
}

void PartialRun::handle_events() {
  std::fill(last_started_.begin(), last_started_.end(), -1);
  std::erase_if(running_, [&](int op) {
    if (end(op) != now_) return false;
    ++idle_lanes_[at(device_of(op))];
    ended_.push_back(op);
    return true;
  });
  for (Transfer& transfer : transfers_) {
    if (transfer.state != Transfer::State::kMoving || transfer.end != now_) continue;
    if (const int queue = tables_->hops[at(transfer.hop)].queue; queue >= 0) queue_busy_[at(queue)] = 0;
    if (leave_hop(transfer)) move_on(transfer);
  }
  std::erase_if(transfers_, [](const Transfer& transfer) { return transfer.hop < 0; });
  std::erase_if(signals_, [&](const Signal& signal) {
    if (signal.arrival != now_) return false;
    arrive(signal.op);
    return true;
  });
}

}  // namespace berth::exact
