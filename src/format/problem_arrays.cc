// SPDX-License-Identifier: Apache-2.0
#include "format/problem_arrays.h"

#include <limits>
#include <map>

#include "files/npz.h"

namespace berth {
namespace {

using Index = std::int64_t;  // also of what counts or weighs something
constexpr Index kNothing = -1;

Index number_of(OpId op) { return op == kNoOp ? kNothing : static_cast<Index>(op); }

// An enum's values up to the last one, by name.
template <typename Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) names.emplace_back(name_of(static_cast<Enum>(value)));
  return names;
}

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
  void add_pairs(std::string_view name, const std::vector<Index>& flat) {
    npz_.numbers(name, flat, {flat.size() / 2, 2});
  }

  void add_ops() {
    const auto ops = graph_.ops();
    add_names("op_names", ops, [&](OpId op) { return graph_.name(op); });
    npz_.texts("ops.types", graph_.types());
    add("ops.type_of", ops, [&](OpId op) { return Index{graph_.type_index(op)}; });
    npz_.texts("ops.roles", names_up_to(Role::kView));
    add("ops.role_of", ops, [&](OpId op) { return static_cast<Index>(graph_.role(op)); });
    add("ops.flops", ops, [&](OpId op) { return graph_.flops(op); });
    add("ops.bytes_touched", ops, [&](OpId op) { return Index{graph_.bytes_touched(op)}; });
    add("ops.resident_bytes", ops, [&](OpId op) { return Index{problem_.resident_bytes(op)}; });
    add("ops.output_bytes", ops, [&](OpId op) {
      Index bytes = 0;
      for (const TensorId tensor : graph_.outputs(op)) bytes += graph_.bytes(tensor);
      return bytes;
    });
    add("ops.unit_of", ops, [&](OpId op) { return Index{problem_.unit(op)}; });
    add("ops.order", graph_.topological_order(), number_of);
    add("ops.forward_of", ops, [&](OpId op) { return number_of(graph_.forward_of(op)); });
    add("ops.updates", ops, [&](OpId op) { return number_of(graph_.updated_parameter(op)); });
    add("ops.alias_of", ops, [&](OpId op) {
      return graph_.role(op) == Role::kView ? static_cast<Index>(graph_.inputs(op).front()) : kNothing;
    });
  }

  void add_modules() {
    std::vector<std::string> modules;
    std::map<std::string_view, Index> numbers;
    add("ops.module_of", graph_.ops(), [&](OpId op) {
      const auto [entry, is_new] = numbers.try_emplace(graph_.module(op), static_cast<Index>(modules.size()));
      if (is_new) modules.emplace_back(entry->first);
      return entry->second;
    });
    npz_.texts("ops.modules", modules);
  }

  // Where ops may be, and their times wherever they can run.
  void add_places() {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<std::uint8_t> allowed;
    std::vector<double> times, compute_times;
    for (const OpId op : graph_.ops()) {
      for (const DeviceId device : machine_.device_ids()) {
        const bool runs = (problem_.runnable(op) & device_bit(device)) != 0;
        allowed.push_back((problem_.allowed(op) & device_bit(device)) != 0 ? 1 : 0);
        times.push_back(runs ? to_seconds(problem_.duration(op, device)) : kNever);
        compute_times.push_back(runs ? to_seconds(problem_.compute_part(op, device)) : kNever);
      }
    }
    const NpzWriter::Shape shape{graph_.num_ops(), machine_.num_devices()};
    npz_.flags("ops.allowed", allowed, shape);
    npz_.numbers("ops.times", times, shape);
    npz_.numbers("ops.compute_times", compute_times, shape);
  }

  void add_edges() {
    std::vector<Index> ends, bytes, tensors, control;
    for (const TensorId tensor : graph_.tensors()) {
      for (const OpId consumer : graph_.consumers(tensor)) {
        ends.insert(ends.end(), {number_of(graph_.producer(tensor)), number_of(consumer)});
        bytes.push_back(graph_.bytes(tensor));
        tensors.push_back(static_cast<Index>(tensor));
      }
    }
    for (const OpId op : graph_.ops()) {
      for (const OpId after : graph_.control_outputs(op))
        control.insert(control.end(), {number_of(op), number_of(after)});
    }
    add_pairs("edges.ends", ends);
    npz_.numbers("edges.bytes", bytes);
    npz_.numbers("edges.tensor", tensors);
    add_pairs("edges.control", control);
  }

  void add_tensors() {
    const auto tensors = graph_.tensors();
    add("tensors.producer", tensors, [&](TensorId tensor) { return number_of(graph_.producer(tensor)); });
    add("tensors.bytes", tensors, [&](TensorId tensor) { return Index{graph_.bytes(tensor)}; });
    npz_.texts("tensors.dtypes", names_up_to(DType::kI4));
    add("tensors.dtype_of", tensors, [&](TensorId tensor) { return static_cast<Index>(graph_.dtype(tensor)); });
    std::vector<Index> dims, begin{0};
    for (const TensorId tensor : tensors) {
      dims.insert(dims.end(), graph_.shape(tensor).begin(), graph_.shape(tensor).end());
      begin.push_back(static_cast<Index>(dims.size()));
    }
    npz_.numbers("tensors.dims", dims);
    npz_.numbers("tensors.dims_begin", begin);
    add_flags("tensors.is_output", tensors, [&](TensorId tensor) { return graph_.is_graph_output(tensor); });
  }

  void add_devices() {
    const auto devices = machine_.devices();
    const auto ids = machine_.device_ids();
    add_names("devices.names", devices, [](const Device& device) { return device.name; });
    add_names("devices.models", devices, [](const Device& device) { return device.model; });
    add_names("devices.kinds", devices, [](const Device& device) { return name_of(device.kind); });
    add("devices.memory", ids, [&](DeviceId id) { return Index{problem_.capacity(id)}; });
    add("devices.pool_of", ids, [&](DeviceId id) { return Index{machine_.pool_of(id)}; });
    std::vector<std::string> pools;
    std::vector<Index> pool_memory;
    for (const MemoryPool& pool : machine_.pools()) {
      pool_memory.push_back(problem_.pool_capacity(static_cast<int>(pools.size())));
      pools.push_back(pool.name);
    }
    npz_.texts("devices.pools", pools);
    npz_.numbers("devices.pool_memory", pool_memory);
    add("devices.lanes", devices, [](const Device& device) { return Index{device.lanes}; });
    add("devices.flops_per_s", devices, [](const Device& device) { return device.peak_flops(DType::kF32); });
    add("devices.bytes_per_s", devices, [](const Device& device) { return device.bytes_per_s; });
    add("devices.streaming_bytes_per_s", ids, [&](DeviceId id) { return problem_.streaming_bytes_per_s(id); });
    add("devices.launch_s", devices, [](const Device& device) { return device.launch_s; });
    add_flags("devices.is_async", devices, [](const Device& device) { return device.async; });
  }

  void add_links() {
    const auto links = machine_.channels();
    add_names("links.names", links, [](const Channel& link) { return link.name; });
    std::vector<Index> ends;
    for (const Channel& link : links) ends.insert(ends.end(), {Index{link.from}, Index{link.to}});
    add_pairs("links.ends", ends);
    npz_.texts("links.switches", machine_.switches());
    add("links.link_latency_s", links, [](const Channel& link) { return link.latency_s; });
    add("links.link_bytes_per_s", links, [](const Channel& link) { return link.bytes_per_s; });
    add("links.queue_of", links, [](const Channel& link) { return Index{link.queue}; });
    npz_.texts("links.queues", machine_.queues());
  }

  // Of the whole way from one device to another: a tensor passes one link after the other.
  void add_ways() {
    std::vector<double> latency_s, bytes_per_s;
    std::vector<Index> route, begin{0};
    for (const DeviceId from : machine_.device_ids()) {
      for (const DeviceId to : machine_.device_ids()) {
        double seconds = 0.0, seconds_per_byte = 0.0;
        for (const std::uint16_t link : machine_.route(from, to)) {
          seconds += machine_.channels()[link].latency_s;
          seconds_per_byte += 1.0 / machine_.channels()[link].bytes_per_s;
          route.push_back(link);
        }
        latency_s.push_back(seconds);
        bytes_per_s.push_back(1.0 / seconds_per_byte);
        begin.push_back(static_cast<Index>(route.size()));
      }
    }
    const NpzWriter::Shape shape{machine_.num_devices(), machine_.num_devices()};
    npz_.numbers("links.latency_s", latency_s, shape);
    npz_.numbers("links.bytes_per_s", bytes_per_s, shape);
    npz_.numbers("links.route", route);
    npz_.numbers("links.route_begin", begin);
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
