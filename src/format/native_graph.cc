// SPDX-License-Identifier: Apache-2.0
#include "format/native_graph.h"

#include <algorithm>
#include <iterator>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "format/graph_fields.h"

namespace berth {
namespace {

// Ops that GraphBuilder orders before an update by itself: readers of its parameter, directly or through views, that do
// not feed the update anyway. Sorted.
std::vector<OpId> implied_before(const Graph& graph, OpId update) {
  std::vector<OpId> readers;
  const auto parameter_tensors = graph.outputs(graph.updated_parameter(update));
  std::vector<TensorId> aliases(parameter_tensors.begin(), parameter_tensors.end());
  for (std::size_t next = 0; next < aliases.size(); ++next) {
    for (const OpId reader : graph.consumers(aliases[next])) {
      if (graph.role(reader) == Role::kView && graph.inputs(reader).front() == aliases[next]) {
        for (const TensorId alias : graph.outputs(reader)) aliases.push_back(alias);
      } else {
        readers.push_back(reader);
      }
    }
  }
  std::sort(readers.begin(), readers.end());
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  std::vector<OpId> feeders{update};
  for (const TensorId tensor : graph.inputs(update)) feeders.push_back(graph.producer(tensor));
  std::erase_if(readers, [&](OpId op) { return std::find(feeders.begin(), feeders.end(), op) != feeders.end(); });
  return readers;
}

class NativeGraphWriter {
 public:
  explicit NativeGraphWriter(const Graph& graph) : graph_(graph) { find_implied_groups(); }

  std::string write() {
    json_.begin_object(JsonLayout::kLines);
    json_.key("format").value(kNativeGraphFormat);
    json_.key("title").value(graph_.title());
    json_.key("optimizer").value(name_of(graph_.optimizer()));
    if (graph_.source_nodes() != graph_.num_ops()) json_.key("source_nodes").value(graph_.source_nodes());
    if (graph_.source_edges() != graph_.num_edges()) json_.key("source_edges").value(graph_.source_edges());
    if (!graph_.measured().empty()) {
      json_.key("measured_on").begin_array();
      for (const MeasuredTimes& times : graph_.measured()) json_.value(times.device_model);
      json_.end_array();
    }
    json_.key("outputs").begin_array();
    for (const TensorId tensor : graph_.graph_outputs()) write_ref(tensor);
    json_.end_array();
    json_.key("ops").begin_array(JsonLayout::kLines);
    for (const OpId op : graph_.ops()) write_op(op);
    json_.end_array().end_object();
    return std::move(json_).take();
  }

 private:
  JsonWriter& key(OpField field) { return json_.key(name_of(field)); }
  void write_ref(TensorId tensor) {
    json_.begin_array().value(index(graph_.producer(tensor))).value(graph_.output_index(tensor)).end_array();
  }
  void write_text(OpField field, std::string_view text) {
    if (!text.empty()) key(field).value(text);
  }
  void write_op_id(OpField field, OpId op) {
    if (op != kNoOp) key(field).value(index(op));
  }

  void write_op(OpId op) {
    json_.begin_object();
    key(OpField::kName).value(graph_.name(op));
    key(OpField::kType).value(graph_.type(op));
    if (graph_.role(op) != Role::kCompute) key(OpField::kRole).value(name_of(graph_.role(op)));
    write_edges(op);
    write_outputs(op);
    if (graph_.flops(op) != 0) key(OpField::kFlops).value(graph_.flops(op));
    if (graph_.bytes_touched(op) != default_bytes_touched(op)) {
      key(OpField::kBytesTouched).value(graph_.bytes_touched(op));
    }
    write_text(OpField::kModule, graph_.module(op));
    write_text(OpField::kLabel, graph_.label(op));
    write_text(OpField::kAttributes, graph_.attributes(op));
    write_colocation(op);
    write_allowed(op);
    write_op_id(OpField::kUpdates, graph_.updated_parameter(op));
    write_op_id(OpField::kForwardOf, graph_.forward_of(op));
    write_measured(op);
    json_.end_object();
  }

  void write_edges(OpId op) {
    if (!graph_.inputs(op).empty()) {
      key(OpField::kInputs).begin_array();
      for (const TensorId tensor : graph_.inputs(op)) write_ref(tensor);
      json_.end_array();
    }
    const auto before = graph_.control_inputs(op);
    std::vector<OpId> stated(before.begin(), before.end());
    if (graph_.updated_parameter(op) != kNoOp) {
      const std::vector<OpId> implied = implied_before(graph_, op);
      stated.clear();
      std::set_difference(before.begin(), before.end(), implied.begin(), implied.end(), std::back_inserter(stated));
    }
    if (stated.empty()) return;
    key(OpField::kControl).begin_array();
    for (const OpId other : stated) json_.value(index(other));
    json_.end_array();
  }

  void write_outputs(OpId op) {
    key(OpField::kOutputs).begin_array();
    for (const TensorId tensor : graph_.outputs(op)) {
      json_.begin_object().key("dtype").value(name_of(graph_.dtype(tensor))).key("shape").begin_array();
      for (const std::int64_t dim : graph_.shape(tensor)) json_.value(dim);
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  [[nodiscard]] Bytes default_bytes_touched(OpId op) const {
    Bytes sum = 0;
    for (const TensorId tensor : graph_.distinct_inputs(op)) sum += graph_.bytes(tensor);
    for (const TensorId tensor : graph_.outputs(op)) sum += graph_.bytes(tensor);
    return sum;
  }

  // A group of just a parameter and its update, under the name GraphBuilder gives it, is made again on reading.
  void find_implied_groups() {
    std::vector<std::size_t> size(graph_.colocation_names().size(), 0);
    for (const OpId op : graph_.ops()) {
      if (const int group = graph_.colocation_group(op); group >= 0) ++size[static_cast<std::size_t>(group)];
    }
    is_implied_.assign(size.size(), false);
    for (const OpId op : graph_.ops()) {
      const OpId parameter = graph_.updated_parameter(op);
      if (parameter == kNoOp) continue;
      const auto group = static_cast<std::size_t>(graph_.colocation_group(op));
      is_implied_[group] = size[group] == 2 && graph_.colocation_names()[group] == graph_.name(std::min(op, parameter));
    }
  }
  void write_colocation(OpId op) {
    const int group = graph_.colocation_group(op);
    if (group < 0 || is_implied_[static_cast<std::size_t>(group)]) return;
    key(OpField::kColocate).value(graph_.colocation_names()[static_cast<std::size_t>(group)]);
  }

  void write_allowed(OpId op) {
    if (graph_.allowed_kinds(op) == kAnyKind) return;
    key(OpField::kAllowed).begin_array();
    for (int i = 0; i < kDeviceKinds; ++i) {
      const auto kind = static_cast<DeviceKind>(i);
      if ((graph_.allowed_kinds(op) & kind_bit(kind)) != 0) json_.value(name_of(kind));
    }
    json_.end_array();
  }

  void write_measured(OpId op) {
    const auto has_time = [&](const MeasuredTimes& times) { return times.seconds[index(op)] >= 0; };
    if (std::none_of(graph_.measured().begin(), graph_.measured().end(), has_time)) return;
    key(OpField::kMeasured).begin_array();
    for (const MeasuredTimes& times : graph_.measured()) {
      if (has_time(times)) {
        json_.value(times.seconds[index(op)]);
      } else {
        json_.null();
      }
    }
    json_.end_array();
  }

  const Graph& graph_;
  JsonWriter json_;
  std::vector<bool> is_implied_;  // per colocation group
};

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

Status check_names(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    for (const std::string_view text :
         {graph.name(op), std::string_view(graph.type(op)), std::string_view(graph.module(op)),
          std::string_view(graph.label(op)), std::string_view(graph.attributes(op))}) {
      if (!is_utf8(text)) return bad_input("op {} has a name that is not UTF-8, which JSON cannot hold", index(op));
    }
  }
  for (const std::string& name : graph.colocation_names()) {
    if (!is_utf8(name)) return bad_input("a colocation group has a name that is not UTF-8, which JSON cannot hold");
  }
  return {};
}

}  // namespace

Result<std::string> write_graph_json(const Graph& graph) {
  BERTH_RETURN_IF_ERROR(check_names(graph));
  return NativeGraphWriter(graph).write();
}

Status save_graph_file(const std::string& path, const Graph& graph) {
  auto text = write_graph_json(graph);
  if (!text) return in_file(path, text.error());
  return write_file_atomically(path, *text);
}

}  // namespace berth
