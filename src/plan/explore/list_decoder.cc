// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/list_decoder.h"

#include <algorithm>
#include <bit>

#include "machine/device_set.h"
#include "plan/search/placement.h"

namespace berth {

ListDecoder::ListDecoder(const TaskTable& table) : table_(table), problem_(table.problem()), domains_(problem_) {
  const Machine& machine = problem_.machine();
  lane_begin_.push_back(0);
  for (const DeviceId id : machine.device_ids()) {
    lane_begin_.push_back(lane_begin_.back() + static_cast<std::uint32_t>(machine.device(id).lanes));
  }
  lanes_.resize(lane_begin_.back());
  max_devices_ = problem_.constraints().max_devices.value_or(static_cast<int>(machine.num_devices()));
}

const Schedule& ListDecoder::decode(std::span<const double> keys, std::span<const DeviceId> wishes,
                                    Direction direction) {
  direction_ = direction;
  wishes_ = wishes;
  reset();
  const auto offer = [&](std::uint32_t op) {
    ready_.emplace_back(keys[op], op);
    std::ranges::push_heap(ready_);
  };
  for (std::uint32_t op = 0; op < table_.num_ops(); ++op) {
    missing_[op] = static_cast<std::uint32_t>(arcs_in(op).size());
    if (missing_[op] == 0) offer(op);
  }
  while (!ready_.empty()) {
    std::ranges::pop_heap(ready_);
    const std::uint32_t op = ready_.back().second;
    ready_.pop_back();
    if (table_.takes_time(op)) {
      place(op);
    } else {
      place_timeless(op);
    }
    schedule_.makespan = std::max(schedule_.makespan, schedule_.end[op]);
    for (const TaskTable::Arc& arc : arcs_out(op)) {
      if (--missing_[arc.op] == 0) offer(arc.op);
    }
  }
  settle_leftovers();
  return schedule_;
}

void ListDecoder::reset() {
  const std::size_t ops = table_.num_ops();
  schedule_.start.assign(ops, 0);
  schedule_.end.assign(ops, 0);
  schedule_.device_of_unit.assign(problem_.num_units(), kNoDevice);
  schedule_.makespan = 0;
  for (std::vector<Busy>& lane : lanes_) lane.clear();
  missing_.resize(ops);
  ready_.clear();
  free_ = domains_.capacities();
  used_ = 0;
}

void ListDecoder::place(std::uint32_t op) {
  Slot best;
  best.end = std::numeric_limits<Picoseconds>::max();
  for (DeviceSet set = candidates(op); set != 0; set &= set - 1) {
    find_slot(op, index(lowest_device(set)), best);
  }
  std::vector<Busy>& lane = lanes_[best.lane];
  if (best.end > best.start)
    lane.insert(lane.begin() + static_cast<std::ptrdiff_t>(best.position), {best.start, best.end});
  schedule_.start[op] = best.start;
  schedule_.end[op] = best.end;
  used_ |= DeviceSet{1} << best.device;
  settle(table_.unit(op), best.device);
  settle_sources(op, best.device);
}

// With a place already, or where it can be soonest; without a reason for any place it stays unsettled.
void ListDecoder::place_timeless(std::uint32_t op) {
  const std::uint32_t unit = table_.unit(op);
  Picoseconds ready = std::numeric_limits<Picoseconds>::max();
  if (is_settled(unit)) {
    ready = ready_time(op, index(schedule_.device_of_unit[unit]));
  } else if (std::ranges::none_of(arcs_in(op), [&](const auto& arc) { return is_settled(table_.unit(arc.op)); })) {
    ready = 0;
    for (const TaskTable::Arc& arc : arcs_in(op)) ready = std::max(ready, schedule_.end[arc.op]);
  } else {
    std::size_t where = 0;
    for (DeviceSet set = candidates(op); set != 0; set &= set - 1) {
      const auto device = index(lowest_device(set));
      const Picoseconds time = ready_time(op, device);
      if (time < ready) ready = time, where = device;
    }
    settle(unit, where);
    settle_sources(op, where);
  }
  schedule_.start[op] = schedule_.end[op] = ready;
}

DeviceSet ListDecoder::candidates(std::uint32_t op) const {
  const std::uint32_t unit = table_.unit(op);
  if (is_settled(unit)) return device_bit(schedule_.device_of_unit[unit]);
  DeviceSet set = problem_.unit_allowed(unit);
  if (wishes_[op] != kNoDevice && (set & device_bit(wishes_[op])) != 0) return device_bit(wishes_[op]);
  if (std::popcount(used_) >= max_devices_ && (set & used_) != 0) set &= used_;
  Bytes needed = table_.resident_of_unit(unit);
  for (const TaskTable::Arc& arc : arcs_in(op)) {
    const std::uint32_t source = table_.unit(arc.op);
    if (source != unit && !is_settled(source)) needed += table_.resident_of_unit(source);
  }
  if (needed == 0) return set;
  DeviceSet with_room = 0;
  for (DeviceSet rest = set; rest != 0; rest &= rest - 1) {
    if (needed <= free_[domains_.of(lowest_device(rest))]) with_room |= rest & -rest;
  }
  return with_room != 0 ? with_room : set;
}

Picoseconds ListDecoder::ready_time(std::uint32_t op, std::size_t device) const {
  Picoseconds ready = 0;
  for (const TaskTable::Arc& arc : arcs_in(op)) {
    const std::uint32_t unit = table_.unit(arc.op);
    std::size_t there = device;  // what is unsettled will go with this op if it may
    if (is_settled(unit)) {
      there = index(schedule_.device_of_unit[unit]);
    } else if (const DeviceSet allowed = problem_.unit_allowed(unit); (allowed >> device & 1) == 0) {
      there = index(lowest_device(allowed));
    }
    const Picoseconds delay = direction_ == Direction::kForward ? table_.delay(arc.delay, there, device)
                                                                : table_.delay(arc.delay, device, there);
    ready = std::max(ready, schedule_.end[arc.op] + delay);
  }
  return ready;
}

// Of equal ends the one that leaves the shorter gap before it.
void ListDecoder::find_slot(std::uint32_t op, std::size_t device, Slot& best) const {
  const Picoseconds duration = table_.duration(op, device), ready = ready_time(op, device);
  if (ready + duration > best.end) return;
  for (std::size_t lane = lane_begin_[device]; lane < lane_begin_[device + 1]; ++lane) {
    const std::vector<Busy>& busy = lanes_[lane];
    std::size_t position = busy.size();
    while (position > 0 && busy[position - 1].end > ready) --position;
    Picoseconds start = ready;
    while (position < busy.size() && busy[position].start < start + duration) start = busy[position++].end;
    const Picoseconds end = start + duration, idle = start - (position > 0 ? busy[position - 1].end : 0);
    if (end < best.end || (end == best.end && idle < best.idle)) best = {device, lane, position, start, end, idle};
  }
}

void ListDecoder::settle(std::uint32_t unit, std::size_t device) {
  if (is_settled(unit)) return;
  schedule_.device_of_unit[unit] = DeviceId(device);
  free_[domains_.of(DeviceId(device))] -= table_.resident_of_unit(unit);
}

// Depth first: whoever reaches a source first says where it goes. A file may chain any number of them.
void ListDecoder::settle_sources(std::uint32_t op, std::size_t device) {
  sources_.assign(1, {arcs_in(op), device});
  while (!sources_.empty()) {
    Sources& reader = sources_.back();
    if (reader.left.empty()) {
      sources_.pop_back();
      continue;
    }
    const std::uint32_t source = reader.left.front().op, unit = table_.unit(source);
    reader.left = reader.left.subspan(1);
    if (is_settled(unit)) continue;
    const DeviceSet allowed = problem_.unit_allowed(unit);
    const bool may = (allowed >> reader.device & 1) != 0;
    const std::size_t place = may ? reader.device : index(lowest_device(allowed));
    settle(unit, place);
    sources_.push_back({arcs_in(source), place});
  }
}

void ListDecoder::settle_leftovers() {
  const DeviceId fallback = fallback_device(problem_);
  for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
    if (!is_settled(unit)) settle(unit, index(allowed_or_fallback(problem_, unit, fallback)));
  }
}

void fill_plan(const TaskTable& table, const Schedule& schedule, Plan& plan) {
  plan.device_of.resize(table.num_ops());
  plan.priority.resize(table.num_ops());
  for (std::uint32_t op = 0; op < table.num_ops(); ++op) {
    plan.device_of[op] = schedule.device_of_unit[table.unit(op)];
    plan.priority[op] = -static_cast<double>(schedule.start[op]);
  }
}

}  // namespace berth
