// SPDX-License-Identifier: Apache-2.0
#include "problem/flat_tables.h"

#include <limits>
#include <string_view>
#include <unordered_map>

namespace berth {

Bytes bytes_of_outputs(const Graph& graph, OpId op) {
  Bytes bytes = 0;
  for (const TensorId tensor : graph.outputs(op)) bytes += graph.bytes(tensor);
  return bytes;
}

ModuleTable module_table(const Graph& graph) {
  ModuleTable table;
  std::unordered_map<std::string_view, FlatNumber> numbers;
  for (const OpId op : graph.ops()) {
    const auto [entry, is_new] = numbers.try_emplace(graph.module(op), static_cast<FlatNumber>(numbers.size()));
    if (is_new) table.names.emplace_back(entry->first);
    table.of_op.push_back(entry->second);
  }
  return table;
}

PlaceTable place_table(const Problem& problem) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  PlaceTable table;
  for (const OpId op : problem.graph().ops()) {
    for (const DeviceId device : problem.machine().device_ids()) {
      const bool runs = (problem.runnable(op) & device_bit(device)) != 0;
      table.allowed.push_back((problem.allowed(op) & device_bit(device)) != 0 ? 1 : 0);
      table.times_s.push_back(runs ? to_seconds(problem.duration(op, device)) : kNever);
      table.compute_times_s.push_back(runs ? to_seconds(problem.compute_part(op, device)) : kNever);
    }
  }
  return table;
}

EdgeTable edge_table(const Graph& graph) {
  EdgeTable table;
  for (const TensorId tensor : graph.tensors()) {
    for (const OpId consumer : graph.consumers(tensor)) {
      table.ends.insert(table.ends.end(), {flat_number(graph.producer(tensor)), flat_number(consumer)});
      table.bytes.push_back(graph.bytes(tensor));
      table.tensor.push_back(static_cast<FlatNumber>(tensor));
    }
  }
  for (const OpId op : graph.ops()) {
    for (const OpId after : graph.control_outputs(op)) {
      table.control_ends.insert(table.control_ends.end(), {flat_number(op), flat_number(after)});
    }
  }
  return table;
}

ShapeTable shape_table(const Graph& graph) {
  ShapeTable table{.dims = {}, .begin = {0}};
  for (const TensorId tensor : graph.tensors()) {
    table.dims.insert(table.dims.end(), graph.shape(tensor).begin(), graph.shape(tensor).end());
    table.begin.push_back(static_cast<FlatNumber>(table.dims.size()));
  }
  return table;
}

WayTable way_table(const Machine& machine) {
  WayTable table{.latency_s = {}, .bytes_per_s = {}, .links = {}, .begin = {0}};
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      double seconds = 0.0, seconds_per_byte = 0.0;
      for (const std::uint16_t link : machine.route(from, to)) {
        seconds += machine.channels()[link].latency_s;
        seconds_per_byte += 1.0 / machine.channels()[link].bytes_per_s;
        table.links.push_back(link);
      }
      table.latency_s.push_back(seconds);
      table.bytes_per_s.push_back(1.0 / seconds_per_byte);
      table.begin.push_back(static_cast<FlatNumber>(table.links.size()));
    }
  }
  return table;
}

}  // namespace berth
