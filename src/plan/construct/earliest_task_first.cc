// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/earliest_task_first.h"

#include <algorithm>
#include <limits>

#include "machine/device_set.h"
#include "plan/construct/live_memory.h"
#include "plan/construct/partial_schedule.h"
#include "plan/construct/ready_ops.h"

namespace berth {
namespace {

class EarliestTaskFirst {
 public:
  EarliestTaskFirst(const Search& search, const Grouping& grouping, const EtfOptions& options)
      : search_(search),
        problem_(search.problem()),
        graph_(problem_.graph()),
        grouping_(grouping),
        members_(list_members(grouping)),
        favourite_child_(options.favourite_child),
        schedule_(problem_, grouping, candidate_devices(problem_, CpuUse::kWhatElseCant), LinkModel::kQueued),
        memory_(problem_, grouping, options.memory_share),
        waits_(graph_.num_ops(), 0),
        topological_index_(graph_.num_ops(), 0),
        placed_(graph_.num_ops(), 0),
        awaited_(problem_.machine().num_devices(), kNoOp) {
    for (const Device& device : problem_.machine().devices()) {
      devices_.emplace_back(static_cast<std::size_t>(device.lanes));
    }
  }

  Plan run() {
    count_waits();
    for (std::size_t done = 0; left_ > 0; ++done) {
      if (done % 64 == 0 && search_.should_stop()) break;
      const Pick pick = earliest();
      if (pick.device != kNoDevice) {
        place(pick.op, pick.device);
      } else {
        place_without_room();
      }
    }
    schedule_.finish_without_looking();
    return schedule_.to_plan();
  }

 private:
  struct Pick {
    OpId op = kNoOp;
    DeviceId device = kNoDevice;
    Picoseconds time = std::numeric_limits<Picoseconds>::max();  // start, plus what a slower device costs
    std::uint32_t order = 0;
    [[nodiscard]] bool before(const Pick& other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };

  void count_waits() {
    std::uint32_t place = 0;
    for (const OpId op : graph_.topological_order()) {
      topological_index_[index(op)] = place++;
      if (schedule_.floats(op)) continue;
      ++left_;
      std::uint32_t& waits = waits_[index(op)];
      for (const TensorId tensor : graph_.distinct_inputs(op)) waits += !schedule_.floats(graph_.producer(tensor));
      for (const OpId before : graph_.control_inputs(op)) waits += !schedule_.floats(before);
    }
    for (const OpId op : graph_.ops()) {
      if (!schedule_.floats(op) && waits_[index(op)] == 0) enqueue(op);
    }
  }

  void enqueue(OpId op) {
    for (DeviceSet set = schedule_.choices(op); set != 0; set &= set - 1) enqueue(op, lowest_device(set));
  }
  void enqueue(OpId op, DeviceId device) {
    devices_[index(device)].add(op, schedule_.data_ready(op, device), delay(op, device), topological_index_[index(op)],
                                problem_.duration(op, device) == 0);
  }

  // What an op loses by running here and not on the fastest of its devices.
  [[nodiscard]] Picoseconds delay(OpId op, DeviceId device) const {
    Picoseconds fastest = problem_.duration(op, device);
    for (DeviceSet set = schedule_.choices(op); set != 0; set &= set - 1) {
      fastest = std::min(fastest, problem_.duration(op, lowest_device(set)));
    }
    return problem_.duration(op, device) - fastest;
  }

  [[nodiscard]] bool is_gone(OpId op, DeviceId device) const {
    return placed_[index(op)] != 0 || (schedule_.choices(op) & device_bit(device)) == 0;
  }
  [[nodiscard]] bool has_room(OpId op, DeviceId device) const {
    return memory_.need(schedule_, op, device) <= memory_.room(device);
  }

  Pick earliest() {
    for (;;) {
      Pick best;
      for (const DeviceId device : problem_.machine().device_ids()) {
        const Pick pick = first_on(device);
        if (pick.device != kNoDevice && pick.before(best)) best = pick;
      }
      if (best.device == kNoDevice || confirm(best)) return best;
    }
  }

  // The least estimate of a device; may be out of date.
  Pick first_on(DeviceId device) {
    ReadyOps& ready = devices_[index(device)];
    const ReadyOps::Entry* first = ready.first([&](OpId op) { return is_gone(op, device); });
    if (const OpId child = awaited_[index(device)]; child != kNoOp) {
      if (is_gone(child, device) || !has_room(child, device)) {
        awaited_[index(device)] = kNoOp;
      } else if (first == nullptr || !is_urgent(first->op, ready.free())) {
        const Picoseconds start = std::max(ready.free(), schedule_.data_ready(child, device));
        return {child, device, start + delay(child, device), topological_index_[index(child)]};
      }
    }
    if (first == nullptr) return {};
    return {first->op, device, ready.time_of(*first), first->order};
  }

  // Data of all its inputs on every device where it may run.
  [[nodiscard]] bool is_urgent(OpId op, Picoseconds now) const {
    for (DeviceSet set = schedule_.choices(op); set != 0; set &= set - 1) {
      if (schedule_.data_ready(op, lowest_device(set)) > now) return false;
    }
    return true;
  }

  // Whether the estimate still holds and there is room; if not, the op waits elsewhere in the device's queues.
  bool confirm(const Pick& pick) {
    if (pick.op == awaited_[index(pick.device)]) return true;  // estimated just now
    ReadyOps& ready = devices_[index(pick.device)];
    const Picoseconds data_ready = schedule_.data_ready(pick.op, pick.device);
    if (!ready.still_first(data_ready)) return false;
    const Bytes need = memory_.need(schedule_, pick.op, pick.device);
    if (need <= memory_.room(pick.device)) return true;
    ready.park_first(need);
    return false;
  }

  void place(OpId op, DeviceId device) {
    const Picoseconds duration = problem_.duration(op, device);
    const Picoseconds data_ready = schedule_.settle(op, device);
    const Picoseconds start = devices_[index(device)].run(data_ready, duration);
    schedule_.set(op, start, duration);
    memory_.place(schedule_, op, device);
    placed_[index(op)] = 1;
    --left_;
    reconsider_readers_of_copies(device);
    follow_unusual_homes();
    wake_successors(op);
    unpark();
    await_favourite(op, device);
  }

  // A tensor that came for this op may let others start earlier here than they thought.
  void reconsider_readers_of_copies(DeviceId device) {
    for (const TensorId tensor : schedule_.last_sent()) {
      for (const OpId reader : graph_.consumers(tensor)) {
        if (waits_[index(reader)] == 0 && !schedule_.floats(reader) && !is_gone(reader, device)) {
          enqueue(reader, device);
        }
      }
    }
  }

  // Ready ops of a group that came to be where its ops would not have gone by themselves.
  void follow_unusual_homes() {
    for (const std::uint32_t group : schedule_.last_fixed()) {
      if (!schedule_.has_unusual_home(group)) continue;
      for (const std::uint32_t unit : members_.of(group)) {
        for (const OpId op : problem_.unit_ops(unit)) {
          if (waits_[index(op)] == 0 && placed_[index(op)] == 0 && !schedule_.floats(op)) enqueue(op);
        }
      }
    }
  }

  void wake_successors(OpId op) {
    const auto wake = [&](OpId next) {
      if (--waits_[index(next)] == 0) enqueue(next);
    };
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId next : graph_.consumers(tensor)) wake(next);
    }
    for (const OpId next : graph_.control_outputs(op)) wake(next);
  }

  // Freed memory may be on any device that held a copy, so all are asked; most have nothing parked.
  void unpark() {
    for (const DeviceId device : problem_.machine().device_ids()) {
      for (const OpId op : devices_[index(device)].unpark(memory_.room(device))) {
        if (!is_gone(op, device)) enqueue(op, device);
      }
    }
  }

  void await_favourite(OpId op, DeviceId device) {
    if (favourite_child_.empty()) return;
    const OpId child = favourite_child_[index(op)];
    if (child == kNoOp || waits_[index(child)] > 0 || is_gone(child, device)) return;
    const Picoseconds here = start_estimate(child, device);
    for (DeviceSet set = schedule_.choices(child); set != 0; set &= set - 1) {
      if (start_estimate(child, lowest_device(set)) < here) return;
    }
    awaited_[index(device)] = child;
  }
  [[nodiscard]] Picoseconds start_estimate(OpId op, DeviceId device) const {
    return std::max(devices_[index(device)].free(), schedule_.data_ready(op, device));
  }

  // Nothing that is ready has room where it should go: the first op in topological order goes wherever it may be and
  // has room, else where there is most.
  void place_without_room() {
    OpId first = kNoOp;
    for (const ReadyOps& device : devices_) {
      for (const ReadyOps::Parked& parked : device.parked()) {
        if (placed_[index(parked.op)] != 0) continue;
        if (first == kNoOp || topological_index_[index(parked.op)] < topological_index_[index(first)])
          first = parked.op;
      }
    }
    const std::uint32_t group = schedule_.group(first);
    const DeviceSet allowed = schedule_.is_fixed(group) ? schedule_.choices(first) : grouping_.allowed[group];
    DeviceId roomiest = lowest_device(allowed);
    for (DeviceSet set = allowed; set != 0; set &= set - 1) {
      if (spare(first, lowest_device(set)) > spare(first, roomiest)) roomiest = lowest_device(set);
    }
    place(first, roomiest);
  }
  [[nodiscard]] Bytes spare(OpId op, DeviceId device) const {
    return memory_.room(device) - memory_.need(schedule_, op, device);
  }

  const Search& search_;
  const Problem& problem_;
  const Graph& graph_;
  const Grouping& grouping_;
  GroupMembers members_;
  std::span<const OpId> favourite_child_;
  PartialSchedule schedule_;
  LiveMemory memory_;
  std::vector<ReadyOps> devices_;
  std::vector<std::uint32_t> waits_, topological_index_;
  std::vector<std::uint8_t> placed_;
  std::vector<OpId> awaited_;  // per device: the favourite child it keeps itself free for
  std::size_t left_ = 0;       // ops to place
};

}  // namespace

Plan schedule_earliest_first(const Search& search, const Grouping& grouping, const EtfOptions& options) {
  return EarliestTaskFirst(search, grouping, options).run();
}

}  // namespace berth
