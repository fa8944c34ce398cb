// SPDX-License-Identifier: Apache-2.0
#include "report/graph_section.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/devices.h"
#include "problem/cost/op_class.h"
#include "report/layout.h"

namespace berth::report {
namespace {

// Numbers texts or sets in the order of their first use.
template <typename Key>
class Numbering {
 public:
  std::uint32_t number(const Key& key) {
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return entry->second;
  }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  std::unordered_map<Key, std::uint32_t> numbers_;
  std::vector<Key> keys_;
};

void write_names(Blob& blob, const Graph& graph) {
  std::string names;
  std::vector<std::uint32_t> length;
  for (const OpId op : graph.ops()) {
    names += graph.name(op);
    length.push_back(static_cast<std::uint32_t>(graph.name(op).size()));
  }
  blob.add_text("names", names);
  blob.add("name_length", length);
}

void write_facts(JsonWriter& json, Blob& blob, const Problem& problem) {
  const Graph& graph = problem.graph();
  Numbering<std::string> modules, attributes;
  Numbering<DeviceSet> allowed;
  std::vector<std::uint32_t> type, module, attributes_of, allowed_of, unit;
  std::vector<std::uint8_t> role, cost_class;
  std::vector<float> flops, resident;
  for (const OpId op : graph.ops()) {
    type.push_back(graph.type_index(op));
    module.push_back(modules.number(graph.module(op)));
    attributes_of.push_back(attributes.number(graph.attributes(op)));
    allowed_of.push_back(allowed.number(problem.allowed(op)));
    unit.push_back(problem.unit(op));
    role.push_back(static_cast<std::uint8_t>(graph.role(op)));
    cost_class.push_back(static_cast<std::uint8_t>(class_of(graph, op)));
    flops.push_back(static_cast<float>(graph.flops(op)));
    resident.push_back(static_cast<float>(problem.resident_bytes(op)));
  }
  blob.add("type", type);
  blob.add("module", module);
  blob.add("attributes", attributes_of);
  blob.add("allowed", allowed_of);
  blob.add("unit", unit);
  blob.add("role", role);
  blob.add("class", cost_class);
  blob.add("flops", flops);
  blob.add("resident", resident);
  json.key("types").begin_array();
  for (const std::string& name : graph.types()) json.value(name);
  json.end_array().key("modules").begin_array();
  for (const std::string& name : modules.keys()) json.value(name);
  json.end_array().key("attributes").begin_array();  // texts of several lines
  for (const std::string& lines : attributes.keys()) json.value(lines);
  json.end_array().key("allowed").begin_array();  // lists of devices
  for (const DeviceSet set : allowed.keys()) {
    json.begin_array();
    for (DeviceSet rest = set; rest != 0; rest &= rest - 1) json.value(std::countr_zero(rest));
    json.end_array();
  }
  json.end_array().key("classes").begin_array();
  for (int i = 0; i < kCostClasses; ++i) json.value(name_of(static_cast<CostClass>(i)));
  json.end_array();
}

// "f32 [128, 512]"; the shape of a scalar is "[]", and so is one that is not known.
std::string form_of(const Graph& graph, TensorId tensor) {
  return fmt::format("{} [{}]", name_of(graph.dtype(tensor)), fmt::join(graph.shape(tensor), ", "));
}

// Member "forms": the distinct types and shapes. Arrays: tensors in the order of the ops that make them, and the inputs
// of every op as tensors.
void write_tensors(JsonWriter& json, Blob& blob, const Graph& graph) {
  Numbering<std::string> forms;
  std::vector<std::uint32_t> outputs, form, inputs, tensor_of;
  std::vector<float> bytes;
  for (const OpId op : graph.ops()) {
    outputs.push_back(static_cast<std::uint32_t>(graph.outputs(op).size()));
    inputs.push_back(static_cast<std::uint32_t>(graph.distinct_inputs(op).size()));
    for (const TensorId input : graph.distinct_inputs(op))
      tensor_of.push_back(static_cast<std::uint32_t>(index(input)));
  }
  for (const TensorId tensor : graph.tensors()) {
    form.push_back(forms.number(form_of(graph, tensor)));
    bytes.push_back(static_cast<float>(graph.bytes(tensor)));
  }
  blob.add("output_count", outputs);
  blob.add("tensor_form", form);
  blob.add("tensor_bytes", bytes);
  blob.add("input_count", inputs);
  blob.add("input_tensor", tensor_of);
  json.key("forms").begin_array();
  for (const std::string& text : forms.keys()) json.value(text);
  json.end_array();
}

void write_layout(JsonWriter& json, Blob& blob, const Graph& graph) {
  const Layout layout = lay_out(graph);
  json.key("columns").value(layout.columns).key("rows").value(layout.rows).key("lanes").begin_array();
  for (const Layout::Lane& lane : layout.lanes) {
    json.begin_object().key("name").value(lane.name).key("top").value(lane.top).key("height").value(lane.height);
    json.end_object();
  }
  json.end_array();
  blob.add("lane", layout.lane_of);
  blob.add("column", layout.column);
  blob.add("column_x", layout.column_x);
  blob.add("top", layout.top);
  blob.add("height", layout.height);
}

// Time of every op on every class of equal devices, in seconds.
void write_times(Blob& blob, const Problem& problem) {
  std::vector<bool> done(static_cast<std::size_t>(problem.num_device_classes()), false);
  for (const DeviceId device : problem.machine().device_ids()) {
    const auto device_class = static_cast<std::size_t>(problem.device_class(device));
    if (done[device_class]) continue;
    done[device_class] = true;
    std::vector<float> seconds;
    for (const OpId op : problem.graph().ops()) {
      seconds.push_back(static_cast<float>(to_seconds(problem.duration(op, device))));
    }
    blob.add(fmt::format("time{}", device_class), seconds);
  }
}

}  // namespace

void write_machine(JsonWriter& json, const Problem& problem) {
  const Machine& machine = problem.machine();
  const auto capacity = [](Bytes bytes) {
    return bytes < kUnlimitedMemory ? std::optional(static_cast<double>(bytes)) : std::nullopt;
  };
  json.key("machine").begin_object().key("name").value(machine.name());
  json.key("description").value(machine.description()).end_object();
  json.key("devices").begin_array();
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    json.begin_object().key("name").value(device.name).key("model").value(device.model);
    json.key("kind").value(name_of(device.kind)).key("lanes").value(device.lanes);
    json.key("capacity").value(capacity(problem.capacity(id))).key("pool").value(machine.pool_of(id));
    json.key("class").value(problem.device_class(id)).end_object();
  }
  json.end_array().key("pools").begin_array();
  for (std::size_t pool = 0; pool < machine.pools().size(); ++pool) {
    json.begin_object().key("name").value(machine.pools()[pool].name);
    json.key("capacity").value(capacity(problem.pool_capacity(static_cast<int>(pool)))).end_object();
  }
  json.end_array().key("channels").begin_array();
  for (const Channel& channel : machine.channels()) {
    json.begin_object().key("name").value(channel.name).key("queue").value(channel.queue).end_object();
  }
  json.end_array().key("queues").begin_array();
  for (const std::string& queue : machine.queues()) json.value(queue);
  json.end_array();
}

void write_graph(JsonWriter& json, Blob& blob, const Problem& problem) {
  const Graph& graph = problem.graph();
  json.key("title").value(graph.title()).key("ops").value(graph.num_ops()).key("edges").value(graph.num_edges());
  json.key("flops").value(graph.total_flops()).key("parameter_bytes").value(graph.parameter_bytes());
  write_names(blob, graph);
  write_facts(json, blob, problem);
  write_tensors(json, blob, graph);
  write_layout(json, blob, graph);
  write_times(blob, problem);
}

}  // namespace berth::report
