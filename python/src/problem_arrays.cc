// SPDX-License-Identifier: Apache-2.0
// Graph, machine and prices of a problem as arrays. Numbers that index something are int64, as all of Python's
// libraries take them.
#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "native_problem.h"
#include "plan/coarsen/heavy_grouping.h"

namespace berth::python {
namespace {

using Index = std::int64_t;

py::array_t<Index> pairs_of(const std::vector<Index>& flat) {
  py::array_t<Index> pairs({static_cast<py::ssize_t>(flat.size() / 2), py::ssize_t{2}});
  std::copy(flat.begin(), flat.end(), pairs.mutable_data());
  return pairs;
}

template <typename Value>
auto per_op(const Graph& graph, const Value& value) {
  return [&graph, value](std::size_t i) { return value(OpId(i)); };
}

// Strings that ops share, and which one each has.
struct Shared {
  std::vector<std::string_view> names;
  std::vector<Index> of;
};
Shared modules_of(const Graph& graph) {
  Shared modules;
  std::unordered_map<std::string_view, Index> numbers;
  for (const OpId op : graph.ops()) {
    const auto [entry, is_new] = numbers.try_emplace(graph.module(op), static_cast<Index>(numbers.size()));
    if (is_new) modules.names.push_back(entry->first);
    modules.of.push_back(entry->second);
  }
  return modules;
}

// [op, device]; where an op cannot run, its time has no end.
py::array_t<double> times_of(const Problem& problem) {
  const std::size_t devices = problem.machine().num_devices();
  py::array_t<double> times({problem.graph().num_ops(), devices});
  double* out = times.mutable_data();
  for (const OpId op : problem.graph().ops()) {
    for (const DeviceId device : problem.machine().device_ids()) {
      const bool runs = (problem.runnable(op) & device_bit(device)) != 0;
      *out++ = runs ? to_seconds(problem.duration(op, device)) : std::numeric_limits<double>::infinity();
    }
  }
  return times;
}

py::array_t<bool> allowed_of(const Problem& problem) {
  py::array_t<bool> allowed({problem.graph().num_ops(), problem.machine().num_devices()});
  bool* out = allowed.mutable_data();
  for (const OpId op : problem.graph().ops()) {
    for (const DeviceId device : problem.machine().device_ids())
      *out++ = (problem.allowed(op) & device_bit(device)) != 0;
  }
  return allowed;
}

Index or_none(OpId op) { return op == kNoOp ? -1 : static_cast<Index>(op); }

py::dict ops_of(const NativeProblem& self) {
  const Problem& problem = self.problem();
  const Graph& graph = problem.graph();
  const std::size_t ops = graph.num_ops();
  const auto array = [&]<typename T>(T, const auto& value) { return array_of<T>(ops, per_op(graph, value)); };
  const Shared modules = modules_of(graph);
  std::vector<std::string> roles;
  for (int role = 0; role <= static_cast<int>(Role::kView); ++role) {
    roles.emplace_back(name_of(static_cast<Role>(role)));
  }
  py::dict table;
  table["types"] = std::vector<std::string>(graph.types().begin(), graph.types().end());
  table["type_of"] = array(Index{}, [&](OpId op) { return graph.type_index(op); });
  table["roles"] = roles;
  table["role_of"] = array(Index{}, [&](OpId op) { return static_cast<Index>(graph.role(op)); });
  table["modules"] = modules.names;
  table["module_of"] = array_of<Index>(ops, [&](std::size_t i) { return modules.of[i]; });
  table["flops"] = array(double{}, [&](OpId op) { return graph.flops(op); });
  table["bytes_touched"] = array(Bytes{}, [&](OpId op) { return graph.bytes_touched(op); });
  table["resident_bytes"] = array(Bytes{}, [&](OpId op) { return problem.resident_bytes(op); });
  table["output_bytes"] = array(Bytes{}, [&](OpId op) {
    Bytes bytes = 0;
    for (const TensorId tensor : graph.outputs(op)) bytes += graph.bytes(tensor);
    return bytes;
  });
  table["times"] = times_of(problem);
  table["allowed"] = allowed_of(problem);
  table["unit_of"] = array(Index{}, [&](OpId op) { return problem.unit(op); });
  table["order"] =
      array_of<Index>(ops, [&](std::size_t i) { return static_cast<Index>(graph.topological_order()[i]); });
  table["forward_of"] = array(Index{}, [&](OpId op) { return or_none(graph.forward_of(op)); });
  table["updates"] = array(Index{}, [&](OpId op) { return or_none(graph.updated_parameter(op)); });
  return table;
}

std::vector<std::string_view> op_names(const NativeProblem& self) {
  std::vector<std::string_view> names;
  for (const OpId op : self.problem().graph().ops()) names.push_back(self.problem().graph().name(op));
  return names;
}

py::dict edges_of(const NativeProblem& self) {
  const Graph& graph = self.problem().graph();
  std::vector<Index> ends, tensors, control;
  for (const TensorId tensor : graph.tensors()) {
    for (const OpId consumer : graph.consumers(tensor)) {
      ends.push_back(static_cast<Index>(graph.producer(tensor)));
      ends.push_back(static_cast<Index>(consumer));
      tensors.push_back(static_cast<Index>(tensor));
    }
  }
  for (const OpId op : graph.ops()) {
    for (const OpId after : graph.control_outputs(op)) {
      control.push_back(static_cast<Index>(op));
      control.push_back(static_cast<Index>(after));
    }
  }
  py::dict table;
  table["ends"] = pairs_of(ends);
  table["bytes"] = array_of<Bytes>(tensors.size(), [&](std::size_t i) { return graph.bytes(TensorId(tensors[i])); });
  table["tensor"] = array_of<Index>(tensors.size(), [&](std::size_t i) { return tensors[i]; });
  table["control"] = pairs_of(control);
  return table;
}

py::dict tensors_of(const NativeProblem& self) {
  const Graph& graph = self.problem().graph();
  const std::size_t tensors = graph.num_tensors();
  std::vector<std::string> dtypes;
  for (int dtype = 0; dtype <= static_cast<int>(DType::kI4); ++dtype) {
    dtypes.emplace_back(name_of(static_cast<DType>(dtype)));
  }
  std::vector<Index> dims, begin{0};
  for (const TensorId tensor : graph.tensors()) {
    dims.insert(dims.end(), graph.shape(tensor).begin(), graph.shape(tensor).end());
    begin.push_back(static_cast<Index>(dims.size()));
  }
  py::dict table;
  table["producer"] =
      array_of<Index>(tensors, [&](std::size_t i) { return static_cast<Index>(graph.producer(TensorId(i))); });
  table["bytes"] = array_of<Bytes>(tensors, [&](std::size_t i) { return graph.bytes(TensorId(i)); });
  table["dtypes"] = dtypes;
  table["dtype_of"] =
      array_of<Index>(tensors, [&](std::size_t i) { return static_cast<Index>(graph.dtype(TensorId(i))); });
  table["dims"] = array_of<Index>(dims.size(), [&](std::size_t i) { return dims[i]; });
  table["dims_begin"] = array_of<Index>(begin.size(), [&](std::size_t i) { return begin[i]; });
  return table;
}

py::dict devices_of(const NativeProblem& self) {
  const Problem& problem = self.problem();
  const Machine& machine = problem.machine();
  const std::size_t count = machine.num_devices();
  std::vector<std::string> names, models, kinds, pools;
  for (const Device& device : machine.devices()) {
    names.push_back(device.name);
    models.push_back(device.model);
    kinds.emplace_back(name_of(device.kind));
  }
  for (const MemoryPool& pool : machine.pools()) pools.push_back(pool.name);
  const auto device = [&](std::size_t i) -> const Device& { return machine.device(DeviceId(i)); };
  py::dict table;
  table["names"] = names;
  table["models"] = models;
  table["kinds"] = kinds;
  table["memory"] = array_of<Bytes>(count, [&](std::size_t i) { return problem.capacity(DeviceId(i)); });
  table["pool_of"] = array_of<Index>(count, [&](std::size_t i) { return machine.pool_of(DeviceId(i)); });
  table["pools"] = pools;
  table["pool_memory"] =
      array_of<Bytes>(pools.size(), [&](std::size_t i) { return problem.pool_capacity(static_cast<int>(i)); });
  table["lanes"] = array_of<Index>(count, [&](std::size_t i) { return device(i).lanes; });
  table["flops_per_s"] = array_of<double>(count, [&](std::size_t i) { return device(i).peak_flops(DType::kF32); });
  table["bytes_per_s"] = array_of<double>(count, [&](std::size_t i) { return device(i).bytes_per_s; });
  table["launch_s"] = array_of<double>(count, [&](std::size_t i) { return device(i).launch_s; });
  return table;
}

// Of the whole way from one device to another: a tensor passes one link after the other.
void add_routes(const Machine& machine, py::dict& table) {
  const std::size_t devices = machine.num_devices();
  py::array_t<double> latency({devices, devices}), rate({devices, devices});
  double *latency_s = latency.mutable_data(), *bytes_per_s = rate.mutable_data();
  std::vector<Index> route, begin{0};
  for (const DeviceId from : machine.device_ids()) {
    for (const DeviceId to : machine.device_ids()) {
      double seconds = 0.0, seconds_per_byte = 0.0;
      for (const std::uint16_t channel : machine.route(from, to)) {
        seconds += machine.channels()[channel].latency_s;
        seconds_per_byte += 1.0 / machine.channels()[channel].bytes_per_s;
        route.push_back(channel);
      }
      *latency_s++ = seconds;
      *bytes_per_s++ = 1.0 / seconds_per_byte;
      begin.push_back(static_cast<Index>(route.size()));
    }
  }
  table["latency_s"] = latency;
  table["bytes_per_s"] = rate;
  table["route"] = array_of<Index>(route.size(), [&](std::size_t i) { return route[i]; });
  table["route_begin"] = array_of<Index>(begin.size(), [&](std::size_t i) { return begin[i]; });
}

py::dict links_of(const NativeProblem& self) {
  const Machine& machine = self.problem().machine();
  const auto channels = machine.channels();
  std::vector<std::string> names;
  std::vector<Index> ends;
  for (const Channel& channel : channels) {
    names.push_back(channel.name);
    ends.push_back(channel.from);
    ends.push_back(channel.to);
  }
  py::dict table;
  add_routes(machine, table);
  table["names"] = names;
  table["ends"] = pairs_of(ends);
  table["link_latency_s"] = array_of<double>(channels.size(), [&](std::size_t i) { return channels[i].latency_s; });
  table["link_bytes_per_s"] = array_of<double>(channels.size(), [&](std::size_t i) { return channels[i].bytes_per_s; });
  table["queue_of"] = array_of<Index>(channels.size(), [&](std::size_t i) { return channels[i].queue; });
  table["queues"] = std::vector<std::string>(machine.queues().begin(), machine.queues().end());
  return table;
}

// The group of every unit, of about so many that are made along heavy tensors.
py::array_t<Index> group_units(const NativeProblem& self, std::size_t groups) {
  const Problem& problem = self.problem();
  if (groups < 1) throw BadInput("groups: there must be at least 1");
  const Grouping grouping = [&] {
    const py::gil_scoped_release others_may_run;
    return heavy_grouping(problem, join_views(problem, one_group_per_unit(problem)), groups);
  }();
  return array_of<Index>(grouping.of_unit.size(), [&](std::size_t i) { return grouping.of_unit[i]; });
}

}  // namespace

void add_problem_arrays(py::class_<NativeProblem>& problem) {
  problem.def("ops", ops_of)
      .def("op_names", op_names)
      .def("edges", edges_of)
      .def("tensors", tensors_of)
      .def("devices", devices_of)
      .def("links", links_of)
      .def("group_units", group_units, py::arg("groups"));
}

}  // namespace berth::python
