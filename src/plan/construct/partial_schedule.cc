// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/partial_schedule.h"

#include <algorithm>

#include "machine/device_set.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
PartialSchedule::PartialSchedule(const Problem& problem, const Grouping& grouping, DeviceSet devices, LinkModel links)
    : problem_(problem),
      graph_(problem.graph()),
      grouping_(grouping),
      links_(links),
      choices_(grouping.allowed),
      device_of_group_(grouping.size(), kNoDevice),
      floats_(graph_.num_ops(), 0),
      start_(graph_.num_ops(), kNotYet),
      end_(graph_.num_ops(), 0),
      first_copy_(graph_.num_tensors(), kNone),
      queues_(problem.machine().queues().size()) {
  restrict_to(devices);
  find_floating();
}

void PartialSchedule::restrict_to(DeviceSet devices) {
  const DeviceSet fallback = device_bit(fallback_device(problem_));
  for (DeviceSet& choices : choices_) {
    if ((choices & devices) != 0) {
      choices &= devices;
    } else if ((choices & fallback) != 0) {
      choices = fallback;
    } else {
      choices &= -choices;
    }
  }
}

void PartialSchedule::find_floating() {
  for (const OpId op : graph_.topological_order()) {
    const Role role = graph_.role(op);
    if (role == Role::kCompute || !graph_.control_inputs(op).empty()) continue;
    const auto inputs = graph_.distinct_inputs(op);
    floats_[index(op)] = std::ranges::all_of(inputs, [&](TensorId tensor) {
      const OpId from = graph_.producer(tensor);
      return floats(from) && group(from) == group(op);
    });
  }
}

DeviceSet PartialSchedule::choices(OpId op) const {
  const std::uint32_t own = group(op);
  return is_fixed(own) ? device_bit(device_of_group_[own]) : choices_[own];
}

DeviceId PartialSchedule::home_near(std::uint32_t group, DeviceId device) const {
  if (is_fixed(group)) return device_of_group_[group];
  // A home may be on a device that takes no ops.
  return (grouping_.allowed[group] & device_bit(device)) != 0 ? device : lowest_device(choices_[group]);
}

const PartialSchedule::Copy* PartialSchedule::find_copy(TensorId tensor, DeviceId device) const {
  for (std::uint32_t i = first_copy_[index(tensor)]; i != kNone; i = copies_[i].next) {
    if (copies_[i].device == device) return &copies_[i];
  }
  return nullptr;
}

bool PartialSchedule::is_on(TensorId tensor, DeviceId device) const {
  return device_of(graph_.producer(tensor)) == device || find_copy(tensor, device) != nullptr;
}

// Transfers are looked at one by one: two inputs that would wait for each other on a link are found out by settle().
Picoseconds PartialSchedule::arrival(TensorId tensor, DeviceId device) const {
  const OpId producer = graph_.producer(tensor);
  const DeviceId home = home_near(group(producer), device);
  Picoseconds time = end_[index(producer)];  // 0 while it floats
  if (home == device) return time;
  if (const Copy* copy = find_copy(tensor, device)) return copy->arrival;
  for (const std::uint16_t channel : problem_.machine().route(home, device)) {
    const Picoseconds duration = problem_.transfer_time(graph_.bytes(tensor), channel);
    const int queue = problem_.machine().channels()[channel].queue;
    if (links_ == LinkModel::kQueued && queue >= 0 && duration > 0) {
      time = queues_[static_cast<std::size_t>(queue)].earliest(time, duration);
    }
    time += duration;
  }
  return time;
}

Picoseconds PartialSchedule::control_arrival(OpId before, DeviceId device) const {
  return end_[index(before)] + problem_.control_latency(home_near(group(before), device), device);
}

Picoseconds PartialSchedule::data_ready(OpId op, DeviceId device) const {
  Picoseconds ready = 0;
  for (const TensorId tensor : graph_.distinct_inputs(op)) ready = std::max(ready, arrival(tensor, device));
  for (const OpId before : graph_.control_inputs(op)) ready = std::max(ready, control_arrival(before, device));
  return ready;
}

void PartialSchedule::fix(std::uint32_t group, DeviceId device) {
  if (is_fixed(group)) return;
  device_of_group_[group] = device;
  fixed_.push_back(group);
}

Picoseconds PartialSchedule::send(TensorId tensor, DeviceId to) {
  const OpId producer = graph_.producer(tensor);
  Picoseconds time = end_[index(producer)];
  for (const std::uint16_t channel : problem_.machine().route(device_of(producer), to)) {
    const Picoseconds duration = problem_.transfer_time(graph_.bytes(tensor), channel);
    const int queue = problem_.machine().channels()[channel].queue;
    if (links_ == LinkModel::kQueued && queue >= 0 && duration > 0) {
      IdleGaps& gaps = queues_[static_cast<std::size_t>(queue)];
      time = gaps.earliest(time, duration);
      gaps.occupy(time, duration);
    }
    time += duration;
  }
  copies_.push_back({to, time, first_copy_[index(tensor)]});
  first_copy_[index(tensor)] = static_cast<std::uint32_t>(copies_.size() - 1);
  sent_.push_back(tensor);
  return time;
}

Picoseconds PartialSchedule::settle(OpId op, DeviceId device) {
  sent_.clear();
  fixed_.clear();
  fix(group(op), device);
  Picoseconds ready = 0;
  for (const TensorId tensor : graph_.distinct_inputs(op)) {
    const std::uint32_t source = group(graph_.producer(tensor));
    fix(source, home_near(source, device));
    if (is_on(tensor, device)) {
      ready = std::max(ready, arrival(tensor, device));
    } else {
      ready = std::max(ready, send(tensor, device));
    }
  }
  for (const OpId before : graph_.control_inputs(op)) {
    fix(group(before), home_near(group(before), device));
    ready = std::max(ready, control_arrival(before, device));
  }
  return ready;
}

void PartialSchedule::set(OpId op, Picoseconds start, Picoseconds duration) {
  start_[index(op)] = start;
  end_[index(op)] = start + duration;
}

void PartialSchedule::finish_without_looking() {
  Picoseconds last = 0;
  for (const Picoseconds end : end_) last = std::max(last, end);
  for (const OpId op : graph_.topological_order()) {
    if (floats(op) || start_[index(op)] != kNotYet) continue;
    DeviceId device = lowest_device(choices(op));
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      const DeviceId there = device_of(graph_.producer(tensor));
      if (there != kNoDevice && (choices(op) & device_bit(there)) != 0) device = there;
    }
    fix(group(op), device);
    set(op, last, 0);
  }
}

Plan PartialSchedule::to_plan() const {
  std::vector<DeviceId> device_of_group(device_of_group_);
  for (std::uint32_t group = 0; group < grouping_.size(); ++group) {
    if (device_of_group[group] == kNoDevice)
      device_of_group[group] = lowest_device(choices_[group]);  // nobody reads it
  }
  Plan plan = plan_from_groups(problem_, grouping_, device_of_group);
  const auto topological = graph_.topological_order();
  std::vector<OpId> order(topological.begin(), topological.end());
  std::ranges::stable_sort(order, {}, [&](OpId op) { return start_[index(op)]; });
  plan.priority.resize(order.size());
  double priority = static_cast<double>(order.size());
  for (const OpId op : order) plan.priority[index(op)] = priority--;
  return plan;
}

}  // namespace berth
