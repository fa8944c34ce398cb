// SPDX-License-Identifier: Apache-2.0
// Graph, machine and prices of a problem as arrays. Numbers that index something are int64, as all of Python's
// libraries take them.
#include <algorithm>

#include "native_problem.h"
#include "plan/coarsen/heavy_grouping.h"
#include "problem/flat_tables.h"

namespace berth::python {
namespace {

using Index = FlatNumber;

// As NumPy has them: flat numbers in one dimension, and in two.
template <typename T>
py::array_t<T> numbers_of(const std::vector<T>& flat) {
  return array_of<T>(flat.size(), [&](std::size_t i) { return flat[i]; });
}
template <typename T, typename Stored = T>
py::array_t<T> matrix_of(const std::vector<Stored>& flat, std::size_t columns) {
  py::array_t<T> matrix({flat.size() / columns, columns});
  std::copy(flat.begin(), flat.end(), matrix.mutable_data());
  return matrix;
}

template <typename Value>
auto per_op(const Graph& graph, const Value& value) {
  return [&graph, value](std::size_t i) { return value(OpId(i)); };
}

py::dict ops_of(const NativeProblem& self) {
  const Problem& problem = self.problem();
  const Graph& graph = problem.graph();
  const std::size_t ops = graph.num_ops();
  const auto array = [&]<typename T>(T, const auto& value) { return array_of<T>(ops, per_op(graph, value)); };
  const std::size_t devices = problem.machine().num_devices();
  const ModuleTable modules = module_table(graph);
  const PlaceTable places = place_table(problem);
  py::dict table;
  table["types"] = std::vector<std::string>(graph.types().begin(), graph.types().end());
  table["type_of"] = array(Index{}, [&](OpId op) { return graph.type_index(op); });
  table["roles"] = role_names();
  table["role_of"] = array(Index{}, [&](OpId op) { return static_cast<Index>(graph.role(op)); });
  table["modules"] = modules.names;
  table["module_of"] = numbers_of(modules.of_op);
  table["flops"] = array(double{}, [&](OpId op) { return graph.flops(op); });
  table["bytes_touched"] = array(Bytes{}, [&](OpId op) { return graph.bytes_touched(op); });
  table["resident_bytes"] = array(Bytes{}, [&](OpId op) { return problem.resident_bytes(op); });
  table["output_bytes"] = array(Bytes{}, [&](OpId op) { return bytes_of_outputs(graph, op); });
  table["times"] = matrix_of<double>(places.times_s, devices);
  table["allowed"] = matrix_of<bool>(places.allowed, devices);
  table["unit_of"] = array(Index{}, [&](OpId op) { return problem.unit(op); });
  table["order"] =
      array_of<Index>(ops, [&](std::size_t i) { return static_cast<Index>(graph.topological_order()[i]); });
  table["forward_of"] = array(Index{}, [&](OpId op) { return flat_number(graph.forward_of(op)); });
  table["updates"] = array(Index{}, [&](OpId op) { return flat_number(graph.updated_parameter(op)); });
  return table;
}

std::vector<std::string_view> op_names(const NativeProblem& self) {
  std::vector<std::string_view> names;
  for (const OpId op : self.problem().graph().ops()) names.push_back(self.problem().graph().name(op));
  return names;
}

py::dict edges_of(const NativeProblem& self) {
  const EdgeTable edges = edge_table(self.problem().graph());
  py::dict table;
  table["ends"] = matrix_of<Index>(edges.ends, 2);
  table["bytes"] = numbers_of(edges.bytes);
  table["tensor"] = numbers_of(edges.tensor);
  table["control"] = matrix_of<Index>(edges.control_ends, 2);
  return table;
}

py::dict tensors_of(const NativeProblem& self) {
  const Graph& graph = self.problem().graph();
  const std::size_t tensors = graph.num_tensors();
  const ShapeTable shapes = shape_table(graph);
  py::dict table;
  table["producer"] =
      array_of<Index>(tensors, [&](std::size_t i) { return static_cast<Index>(graph.producer(TensorId(i))); });
  table["bytes"] = array_of<Bytes>(tensors, [&](std::size_t i) { return graph.bytes(TensorId(i)); });
  table["dtypes"] = dtype_names();
  table["dtype_of"] =
      array_of<Index>(tensors, [&](std::size_t i) { return static_cast<Index>(graph.dtype(TensorId(i))); });
  table["dims"] = numbers_of(shapes.dims);
  table["dims_begin"] = numbers_of(shapes.begin);
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

void add_ways(const Machine& machine, py::dict& table) {
  const WayTable ways = way_table(machine);
  table["latency_s"] = matrix_of<double>(ways.latency_s, machine.num_devices());
  table["bytes_per_s"] = matrix_of<double>(ways.bytes_per_s, machine.num_devices());
  table["route"] = numbers_of(ways.links);
  table["route_begin"] = numbers_of(ways.begin);
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
  add_ways(machine, table);
  table["names"] = names;
  table["ends"] = matrix_of<Index>(ends, 2);
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
