// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/run_state.h"

#include <algorithm>
#include <bit>

namespace berth::exact {
namespace {

// Two independent hashes of a sequence of numbers.
class TwoHashes {
 public:
  void add(std::uint64_t word) {
    low_ = mix(low_ ^ word, 0x9e3779b97f4a7c15U);
    high_ = mix(high_ + word, 0xd6e8feb86659fd93U);
  }
  void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }
  [[nodiscard]] RunState::Fingerprint value() const { return {low_, high_}; }

 private:
  static std::uint64_t mix(std::uint64_t x, std::uint64_t factor) {
    x *= factor;
    return x ^ (x >> 29);
  }
  std::uint64_t low_ = 1, high_ = 2;
};

}  // namespace

RunState::RunState(const Tables& tables, const std::vector<int>& device_classes)
    : tables_(&tables),
      device_classes_(&device_classes),
      device_of_(at(tables.units), -1),
      domain_(tables.allowed),
      waits_(tables.waits.begin(), tables.waits.end()),
      start_turn_(at(tables.ops), 0),
      phase_(at(tables.ops), Phase::kWaiting),
      end_(at(tables.ops), 0),
      root_(tables.cell(tables.tensors, 0), 0),
      uses_(tables.cell(tables.tensors, 0), 0),
      idle_lanes_(tables.lanes),
      last_started_(at(tables.devices), -1),
      held_(tables.capacity.size(), 0),
      peak_(tables.capacity.size(), 0),
      lower_than_(at(tables.devices), 0),
      queue_busy_(at(tables.queues), 0) {}

DeviceSet RunState::candidates(int unit) const {
  DeviceSet set = 0;
  int class_with_untouched = -1;
  for (DeviceSet left = domain(unit); left != 0; left &= left - 1) {
    const int device = std::countr_zero(left);
    const int device_class = (*device_classes_)[at(device)];
    if (((touched_ >> device) & 1) == 0) {
      if (class_with_untouched == device_class) continue;
      class_with_untouched = device_class;
    }
    set |= DeviceSet{1} << device;
  }
  return set;
}

void RunState::list_ready(int device, std::vector<int>& ops) const {
  ops.clear();
  for (const int op : ready_) {
    if (device_of(op) == device && op > last_started_[at(device)]) ops.push_back(op);
  }
  std::sort(ops.begin(), ops.end());
  // The lanes of one instant are filled in ascending order, so the last ones are too late to begin with.
  ops.resize(ops.size() - at(idle_lanes_[at(device)] - 1));
}

// Devices of a class take its ids in an order that respects what was decided about them.
std::vector<DeviceId> RunState::true_ids() const {
  std::vector<DeviceId> ids(at(tables_->devices), kNoDevice);
  DeviceSet left = tables_->devices == 64 ? ~DeviceSet{0} : (DeviceSet{1} << tables_->devices) - 1;
  for (int id = 0; id < tables_->devices; ++id) {
    DeviceSet higher = 0;  // than a device that has no id yet
    for (DeviceSet others = left; others != 0; others &= others - 1)
      higher |= lower_than_[at(std::countr_zero(others))];
    DeviceSet free = left & ~higher;
    while ((*device_classes_)[at(std::countr_zero(free))] != (*device_classes_)[at(id)]) free &= free - 1;
    ids[at(std::countr_zero(free))] = DeviceId{static_cast<std::uint16_t>(id)};
    left &= ~(free & -free);
  }
  return ids;
}

Plan RunState::plan() const {
  const std::vector<DeviceId> true_id = true_ids();
  Plan plan;
  for (int op = 0; op < tables_->ops; ++op) {
    plan.device_of.push_back(true_id[at(device_of(op))]);
    plan.priority.push_back(tables_->ops - start_turn_[at(op)]);
  }
  return plan;
}

RunState::Fingerprint RunState::fingerprint() const {
  TwoHashes hash;
  hash.add(now_);
  for (int op = 0; op < tables_->ops; ++op) {
    const Phase state = phase(op);
    if (state == Phase::kDone) {
      hash.add(std::int64_t{-1});
      continue;
    }
    hash.add(static_cast<std::int64_t>(state) + 8 * waits_[at(op)] + (std::int64_t{device_of(op)} << 32));
    if (state == Phase::kRunning) hash.add(end(op));
  }
  for (const Transfer& transfer : transfers_) {
    hash.add((std::int64_t{transfer.tensor} << 32) + transfer.hop * 4 + static_cast<int>(transfer.state));
    const auto is_earlier = [&](const Transfer& other) { return other.turn < transfer.turn; };
    hash.add(transfer.state == Transfer::State::kMoving ? transfer.end : std::ranges::count_if(transfers_, is_earlier));
  }
  for (const Signal& signal : signals_) hash.add(signal.arrival * tables_->ops + signal.op);
  for (int device = 0; device < tables_->devices; ++device) {
    hash.add(lower_than_[at(device)]);
    if (idle_lanes(device) > 0) hash.add(std::int64_t{last_started_[at(device)]});
  }
  hash.add(touched_);
  if (tables_->has_limits) {
    hash.add(computing_);
    hash.add(crossings_);
  }
  if (tables_->memory_binds) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      hash.add(held_[i]);
      hash.add(peak_[i]);
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) hash.add((std::int64_t{uses_[i]} << 32) + root_[i]);
  }
  return hash.value();
}

}  // namespace berth::exact
