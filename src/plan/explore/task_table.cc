// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/task_table.h"

#include <algorithm>
#include <map>

#include "machine/device_set.h"
#include "plan/search/unloaded_times.h"

namespace berth {

TaskTable::TaskTable(const Problem& problem) : problem_(problem), devices_(problem.machine().num_devices()) {
  read_ops();
  read_arcs();
  fill_after();
  const DeviceSet everywhere = ~DeviceSet{0} >> (kMaxDevices - devices_);
  devices_differ_ =
      problem.num_device_classes() > 1 || std::ranges::any_of(delays_, [](auto time) { return time > 0; });
  for (const OpId op : problem.graph().ops()) devices_differ_ |= problem.allowed(op) != everywhere;
}

void TaskTable::read_ops() {
  const Graph& graph = problem_.graph();
  durations_.reserve(graph.num_ops() * devices_);
  resident_.assign(problem_.num_units(), 0);
  for (const OpId op : graph.ops()) {
    unit_.push_back(problem_.unit(op));
    resident_[unit_.back()] += problem_.resident_bytes(op);
    for (const DeviceId device : problem_.machine().device_ids()) durations_.push_back(problem_.duration(op, device));
    bool takes_time = false;
    for (DeviceSet set = problem_.allowed(op); set != 0; set &= set - 1) {
      takes_time |= problem_.duration(op, lowest_device(set)) > 0;
    }
    takes_time_.push_back(takes_time ? 1 : 0);
  }
}

void TaskTable::read_arcs() {
  const Graph& graph = problem_.graph();
  std::map<Bytes, std::uint32_t> row_of_size;
  const std::uint32_t control = add_control_delays();
  before_begin_.push_back(0);
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      const Bytes bytes = graph.bytes(tensor);
      const auto [row, is_new] = row_of_size.try_emplace(bytes, 0);
      if (is_new) row->second = add_delays(bytes);
      before_.push_back({static_cast<std::uint32_t>(graph.producer(tensor)), row->second});
    }
    for (const OpId from : graph.control_inputs(op)) before_.push_back({static_cast<std::uint32_t>(from), control});
    before_begin_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
}

void TaskTable::fill_after() {
  after_begin_.assign(num_ops() + 1, 0);
  for (const Arc& arc : before_) ++after_begin_[arc.op + 1];
  for (std::size_t i = 1; i < after_begin_.size(); ++i) after_begin_[i] += after_begin_[i - 1];
  after_.resize(before_.size());
  std::vector<std::uint32_t> next(after_begin_.begin(), after_begin_.end() - 1);
  for (std::uint32_t op = 0; op < num_ops(); ++op) {
    for (const Arc& arc : before(op)) after_[next[arc.op]++] = {op, arc.delay};
  }
}

std::uint32_t TaskTable::add_delays(Bytes bytes) {
  const auto row = static_cast<std::uint32_t>(delays_.size() / (devices_ * devices_));
  for (const DeviceId from : problem_.machine().device_ids()) {
    for (const DeviceId to : problem_.machine().device_ids()) {
      delays_.push_back(unloaded_transfer_time(problem_, bytes, from, to));
    }
  }
  return row;
}

std::uint32_t TaskTable::add_control_delays() {
  const auto row = static_cast<std::uint32_t>(delays_.size() / (devices_ * devices_));
  for (const DeviceId from : problem_.machine().device_ids()) {
    for (const DeviceId to : problem_.machine().device_ids()) delays_.push_back(problem_.control_latency(from, to));
  }
  return row;
}

}  // namespace berth
