// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/lifetimes.h"

#include <algorithm>

namespace berth {

void Lifetimes::clear() {
  storages_.clear();
  changes_.clear();
  uses_.assign(problem_.machine().num_devices() + problem_.machine().pools().size(), {});
}

void Lifetimes::hold_always(std::uint8_t device, Bytes bytes, std::uint32_t op) {
  if (bytes > 0) apply({0, bytes, op, device});
}

std::uint32_t Lifetimes::add(std::uint8_t device, Bytes bytes, std::uint32_t op, Picoseconds start, Picoseconds end) {
  storages_.push_back({start, end, bytes, op, device});
  return static_cast<std::uint32_t>(storages_.size() - 1);
}

void Lifetimes::prolong(std::uint32_t storage, Picoseconds end) {
  storages_[storage].end = std::max(storages_[storage].end, end);
}

void Lifetimes::apply(const Change& change) {
  const Machine& machine = problem_.machine();
  const auto add_to = [&](std::size_t column) {
    Use& use = uses_[column];
    use.held += change.bytes;
    if (change.bytes < 0) return;
    use.last_op = change.op;
    use.last_device = change.device;
  };
  add_to(change.device);
  const int pool = machine.pool_of(DeviceId{change.device});
  if (pool >= 0) add_to(machine.num_devices() + static_cast<std::size_t>(pool));
}

void Lifetimes::note_peaks(Picoseconds time) {
  for (Use& use : uses_) {
    if (use.held <= use.peak) continue;
    use.peak = use.held;
    use.time = time;
    use.op = use.last_op;
    use.device = use.last_device;
  }
}

void Lifetimes::judge(Score& score) {
  for (const Storage& storage : storages_) {
    if (storage.start == storage.end || storage.bytes == 0) continue;
    changes_.push_back({storage.start, storage.bytes, storage.op, storage.device});
    changes_.push_back({storage.end, -storage.bytes, storage.op, storage.device});
  }
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.op < b.op;
  });
  note_peaks(0);  // of what is held always
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    apply(changes_[i]);
    const bool is_last = i + 1 == changes_.size() || changes_[i + 1].time != changes_[i].time;
    if (is_last) note_peaks(changes_[i].time);
  }
  const Machine& machine = problem_.machine();
  const std::size_t devices = machine.num_devices();
  score.pool_peaks.assign(machine.pools().size(), 0);
  score.overflow.reset();
  for (std::size_t column = 0; column < uses_.size(); ++column) {
    const Use& use = uses_[column];
    const bool is_device = column < devices;
    const int pool = is_device ? -1 : static_cast<int>(column - devices);
    (is_device ? score.devices[column].peak : score.pool_peaks[column - devices]) = use.peak;
    if (is_device && machine.pool_of(DeviceId{static_cast<std::uint16_t>(column)}) >= 0) continue;
    const Bytes capacity =
        is_device ? problem_.capacity(DeviceId{static_cast<std::uint16_t>(column)}) : problem_.pool_capacity(pool);
    const Bytes over = use.peak - capacity;
    if (over <= 0 || (score.overflow && score.overflow->over >= over)) continue;
    const auto device = is_device ? static_cast<std::uint16_t>(column) : std::uint16_t{use.device};
    score.overflow = Overflow{DeviceId{device}, pool, OpId{use.op}, use.time, over};
  }
  score.feasible = !score.overflow.has_value();
}

}  // namespace berth
