// SPDX-License-Identifier: Apache-2.0
#include "format/problem_arrays.h"

#include <limits>

#include "files/npz.h"
#include "problem/flat_tables.h"

namespace berth {
namespace {

class ArraysWriter {
 public:
  explicit ArraysWriter(const Problem& problem)
      : problem_(problem), graph_(problem.graph()), machine_(problem.machine()) {}

  Result<std::string> write(const KnownTimes& known) && {
    npz_.text("format", "berth-arrays/1");
    npz_.text("title", graph_.title());
    npz_.text("machine", machine_.name());
    npz_.text("objective", objective_name(problem_.objective()));
    npz_.text("graph_hash", graph_.structure_hash());
    npz_.number("lower_bound_s", to_seconds(known.lower_bound));
    npz_.number("optimum_s", known.optimum ? to_seconds(*known.optimum) : std::numeric_limits<double>::quiet_NaN());
    npz_.flags("overlap", {static_cast<std::uint8_t>(machine_.overlap())}, {});
    npz_.number("region_cost_s", to_seconds(problem_.region_cost()));
    add_ops();
    add_modules();
    add_places();
    add_edges();
    add_tensors();
    add_devices();
    add_links();
    add_ways();
    return std::move(npz_).take();
  }

 private:
  // One entry for every id: what `get` says of it.
  template <typename Ids, typename Get>
  void add(std::string_view name, const Ids& ids, Get get) {
    std::vector<decltype(get(*ids.begin()))> numbers;
    for (const auto& id : ids) numbers.push_back(get(id));
    npz_.numbers(name, numbers);
  }
  template <typename Ids, typename Get>
  void add_names(std::string_view name, const Ids& ids, Get get) {
    std::vector<std::string> names;
    for (const auto& id : ids) names.emplace_back(get(id));
    npz_.texts(name, names);
  }
  template <typename Ids, typename Get>
  void add_flags(std::string_view name, const Ids& ids, Get get) {
    std::vector<std::uint8_t> flags;
    for (const auto& id : ids) flags.push_back(get(id) ? 1 : 0);
    npz_.flags(name, flags, {flags.size()});
  }
  void add_pairs(std::string_view name, const std::vector<FlatNumber>& flat) {
    npz_.numbers(name, flat, {flat.size() / 2, 2});
  }

  void add_ops() {
    const auto ops = graph_.ops();
    add_names("op_names", ops, [&](OpId op) { return graph_.name(op); });
    npz_.texts("ops.types", graph_.types());
    add("ops.type_of", ops, [&](OpId op) { return FlatNumber{graph_.type_index(op)}; });
    npz_.texts("ops.roles", role_names());
    add("ops.role_of", ops, [&](OpId op) { return static_cast<FlatNumber>(graph_.role(op)); });
    add("ops.flops", ops, [&](OpId op) { return graph_.flops(op); });
    add("ops.bytes_touched", ops, [&](OpId op) { return FlatNumber{graph_.bytes_touched(op)}; });
    add("ops.resident_bytes", ops, [&](OpId op) { return FlatNumber{problem_.resident_bytes(op)}; });
    add("ops.output_bytes", ops, [&](OpId op) { return FlatNumber{bytes_of_outputs(graph_, op)}; });
    add("ops.unit_of", ops, [&](OpId op) { return FlatNumber{problem_.unit(op)}; });
    add("ops.order", graph_.topological_order(), flat_number);
    add("ops.forward_of", ops, [&](OpId op) { return flat_number(graph_.forward_of(op)); });
    add("ops.updates", ops, [&](OpId op) { return flat_number(graph_.updated_parameter(op)); });
    add("ops.alias_of", ops, [&](OpId op) {
      return graph_.role(op) == Role::kView ? static_cast<FlatNumber>(graph_.inputs(op).front()) : kNoNumber;
    });
  }

  void add_modules() {
    const ModuleTable modules = module_table(graph_);
    npz_.numbers("ops.module_of", modules.of_op);
    npz_.texts("ops.modules", modules.names);
  }

  void add_places() {
    const PlaceTable places = place_table(problem_);
    const NpzWriter::Shape shape{graph_.num_ops(), machine_.num_devices()};
    npz_.flags("ops.allowed", places.allowed, shape);
    npz_.numbers("ops.times", places.times_s, shape);
    npz_.numbers("ops.compute_times", places.compute_times_s, shape);
  }

  void add_edges() {
    const EdgeTable edges = edge_table(graph_);
    add_pairs("edges.ends", edges.ends);
    npz_.numbers("edges.bytes", edges.bytes);
    npz_.numbers("edges.tensor", edges.tensor);
    add_pairs("edges.control", edges.control_ends);
  }

  void add_tensors() {
    const auto tensors = graph_.tensors();
    add("tensors.producer", tensors, [&](TensorId tensor) { return flat_number(graph_.producer(tensor)); });
    add("tensors.bytes", tensors, [&](TensorId tensor) { return FlatNumber{graph_.bytes(tensor)}; });
    npz_.texts("tensors.dtypes", dtype_names());
    add("tensors.dtype_of", tensors, [&](TensorId tensor) { return static_cast<FlatNumber>(graph_.dtype(tensor)); });
    const ShapeTable shapes = shape_table(graph_);
    npz_.numbers("tensors.dims", shapes.dims);
    npz_.numbers("tensors.dims_begin", shapes.begin);
    add_flags("tensors.is_output", tensors, [&](TensorId tensor) { return graph_.is_graph_output(tensor); });
  }

  void add_devices() {
    const auto devices = machine_.devices();
    const auto ids = machine_.device_ids();
    add_names("devices.names", devices, [](const Device& device) { return device.name; });
    add_names("devices.models", devices, [](const Device& device) { return device.model; });
    add_names("devices.kinds", devices, [](const Device& device) { return name_of(device.kind); });
    add("devices.memory", ids, [&](DeviceId id) { return FlatNumber{problem_.capacity(id)}; });
    add("devices.pool_of", ids, [&](DeviceId id) { return FlatNumber{machine_.pool_of(id)}; });
    std::vector<std::string> pools;
    std::vector<FlatNumber> pool_memory;
    for (const MemoryPool& pool : machine_.pools()) {
      pool_memory.push_back(problem_.pool_capacity(static_cast<int>(pools.size())));
      pools.push_back(pool.name);
    }
    npz_.texts("devices.pools", pools);
    npz_.numbers("devices.pool_memory", pool_memory);
    add("devices.lanes", devices, [](const Device& device) { return FlatNumber{device.lanes}; });
    add("devices.flops_per_s", devices, [](const Device& device) { return device.peak_flops(DType::kF32); });
    add("devices.bytes_per_s", devices, [](const Device& device) { return device.bytes_per_s; });
    add("devices.streaming_bytes_per_s", ids, [&](DeviceId id) { return problem_.streaming_bytes_per_s(id); });
    add("devices.launch_s", devices, [](const Device& device) { return device.launch_s; });
    add_flags("devices.is_async", devices, [](const Device& device) { return device.async; });
  }

  void add_links() {
    const auto links = machine_.channels();
    add_names("links.names", links, [](const Channel& link) { return link.name; });
    std::vector<FlatNumber> ends;
    for (const Channel& link : links) ends.insert(ends.end(), {FlatNumber{link.from}, FlatNumber{link.to}});
    add_pairs("links.ends", ends);
    npz_.texts("links.switches", machine_.switches());
    add("links.link_latency_s", links, [](const Channel& link) { return link.latency_s; });
    add("links.link_bytes_per_s", links, [](const Channel& link) { return link.bytes_per_s; });
    add("links.queue_of", links, [](const Channel& link) { return FlatNumber{link.queue}; });
    npz_.texts("links.queues", machine_.queues());
  }

  void add_ways() {
    const WayTable ways = way_table(machine_);
    const NpzWriter::Shape shape{machine_.num_devices(), machine_.num_devices()};
    npz_.numbers("links.latency_s", ways.latency_s, shape);
    npz_.numbers("links.bytes_per_s", ways.bytes_per_s, shape);
    npz_.numbers("links.route", ways.links);
    npz_.numbers("links.route_begin", ways.begin);
  }

  const Problem& problem_;
  const Graph& graph_;
  const Machine& machine_;
  NpzWriter npz_;
};

}  // namespace

Result<std::string> write_problem_npz(const Problem& problem, const KnownTimes& known) {
  return ArraysWriter(problem).write(known);
}

}  // namespace berth
