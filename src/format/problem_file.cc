// SPDX-License-Identifier: Apache-2.0
#include "format/problem_file.h"

#include <unordered_map>
#include <unordered_set>

#include "files/files.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

class ProblemWriter {
 public:
  explicit ProblemWriter(const Problem& problem)
      : problem_(problem), graph_(problem.graph()), machine_(problem.machine()) {}

  std::string write() {
    json_.begin_object(JsonLayout::kLines).key("format").value("berth-problem/1");
    json_.key("objective").value(objective_name(problem_.objective()));
    if (!machine_.overlap()) {
      json_.key("overlap").value(false).key("region_cost_s").value(to_seconds(problem_.region_cost()));
    }
    write_list("devices", machine_.device_ids(), [&](DeviceId device) { write_device(device); });
    write_list("links", machine_.channels(), [&](const Channel& channel) { write_link(channel); });
    write_routes();
    write_list("ops", graph_.ops(), [&](OpId op) { write_op(op); });
    json_.key("outputs").begin_array();
    for (const TensorId tensor : graph_.graph_outputs()) write_ref(tensor);
    json_.end_array().end_object();
    return std::move(json_).take();
  }

 private:
  template <typename Items, typename Write>
  void write_list(std::string_view key, const Items& items, Write write_item) {
    json_.key(key).begin_array(JsonLayout::kLines);
    for (const auto& item : items) write_item(item);
    json_.end_array();
  }
  void write_text_or_null(std::string_view key, std::string_view text) {
    json_.key(key);
    if (text.empty()) {
      json_.null();
    } else {
      json_.value(text);
    }
  }
  void write_ref(TensorId tensor) {
    json_.begin_array().value(index(graph_.producer(tensor))).value(graph_.output_index(tensor)).end_array();
  }

  void write_device(DeviceId id) {
    const Device& device = machine_.device(id);
    json_.begin_object().key("name").value(device.name).key("kind").value(name_of(device.kind));
    json_.key("memory_bytes").value(problem_.capacity(id));
    write_text_or_null("pool", device.pool);
    json_.key("lanes").value(device.lanes).key("launch_s").value(to_seconds(problem_.launch(id)));
    json_.key("async").value(device.async).key("bytes_per_s").value(problem_.streaming_bytes_per_s(id));
    json_.end_object();
  }

  [[nodiscard]] const std::string& endpoint_name(std::size_t endpoint) const {
    const std::size_t devices = machine_.num_devices();
    return endpoint < devices ? machine_.devices()[endpoint].name : machine_.switches()[endpoint - devices];
  }

  void write_link(const Channel& channel) {
    json_.begin_object().key("name").value(channel.name);
    json_.key("from").value(endpoint_name(channel.from)).key("to").value(endpoint_name(channel.to));
    json_.key("latency_s").value(channel.latency_s).key("bytes_per_s").value(channel.bytes_per_s);
    write_text_or_null(
        "queue", channel.queue < 0 ? std::string_view() : machine_.queues()[static_cast<std::size_t>(channel.queue)]);
    json_.end_object();
  }

  void write_routes() {
    json_.key("routes").begin_array(JsonLayout::kLines);
    for (const DeviceId from : machine_.device_ids()) {
      for (const DeviceId to : machine_.device_ids()) {
        if (from != to) write_route(from, to);
      }
    }
    json_.end_array();
  }

  void write_route(DeviceId from, DeviceId to) {
    json_.begin_object().key("from").value(machine_.device(from).name).key("to").value(machine_.device(to).name);
    json_.key("links").begin_array();
    for (const std::uint16_t channel : machine_.route(from, to)) json_.value(machine_.channels()[channel].name);
    json_.end_array().end_object();
  }

  void write_op(OpId op) {
    json_.begin_object().key("name").value(graph_.name(op)).key("role").value(name_of(graph_.role(op)));
    json_.key("inputs").begin_array();
    for (const TensorId tensor : graph_.inputs(op)) write_ref(tensor);
    json_.end_array().key("control").begin_array();
    for (const OpId before : graph_.control_inputs(op)) json_.value(index(before));
    json_.end_array().key("outputs").begin_array();
    for (const TensorId tensor : graph_.outputs(op)) json_.value(graph_.bytes(tensor));
    json_.end_array().key("resident_bytes").value(problem_.resident_bytes(op)).key("alias_of");
    if (graph_.role(op) == Role::kView) {
      write_ref(graph_.inputs(op).front());
    } else {
      json_.null();
    }
    write_text_or_null("colocate", group_of(op));
    write_places(op);
    json_.end_object();
  }

  // Where the op may be, and its times there.
  void write_places(OpId op) {
    const auto may_be_on = [&](DeviceId device) { return (problem_.allowed(op) & device_bit(device)) != 0; };
    json_.key("allowed").begin_array();
    for (const DeviceId device : machine_.device_ids()) {
      if (may_be_on(device)) json_.value(machine_.device(device).name);
    }
    json_.end_array();
    const auto write_times = [&](std::string_view key, auto time_on) {
      json_.key(key).begin_array();
      for (const DeviceId device : machine_.device_ids()) {
        if (may_be_on(device)) {
          json_.value(to_seconds(time_on(device)));
        } else {
          json_.null();
        }
      }
      json_.end_array();
    };
    write_times("time_s", [&](DeviceId device) { return problem_.duration(op, device); });
    write_times("compute_s", [&](DeviceId device) { return problem_.compute_part(op, device); });
  }

  // Ops that must share a device have the same name here, whether the graph or a constraint says so: that of the first
  // colocation group among them, else that of their first op, marked so that it is no group's name.
  [[nodiscard]] std::string group_of(OpId op) {
    const auto unit = problem_.unit(op);
    if (const auto known = unit_names_.find(unit); known != unit_names_.end()) return known->second;
    const auto members = problem_.unit_ops(unit);
    std::string name = members.size() > 1 ? fmt::format("together:{}", graph_.name(members.front())) : "";
    for (const OpId member : members) {
      const int group = graph_.colocation_group(member);
      if (group < 0) continue;
      name = graph_.colocation_names()[static_cast<std::size_t>(group)];
      break;
    }
    const bool is_taken = !name.empty() && !taken_names_.insert(name).second;
    if (is_taken) name += fmt::format("#{}", unit);
    return unit_names_.emplace(unit, name).first->second;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Machine& machine_;
  JsonWriter json_;
  std::unordered_map<std::uint32_t, std::string> unit_names_;
  std::unordered_set<std::string> taken_names_;
};

}  // namespace

std::string write_problem_json(const Problem& problem) { return ProblemWriter(problem).write(); }

Status save_problem_file(const std::string& path, const Problem& problem) {
  return write_file_atomically(path, write_problem_json(problem));
}

}  // namespace berth
