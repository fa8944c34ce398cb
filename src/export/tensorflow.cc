// SPDX-License-Identifier: Apache-2.0
// TensorFlow: a copy of the file (GraphDef, MetaGraphDef or SavedModel) in which every node of the step has its device
// field. Everything else is copied as it stands. Nodes inside functions are placed by the node that calls them, since
// all calls share them.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "export/lost.h"
#include "export/source_nodes.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"
#include "import/tensorflow/container.h"
#include "import/tensorflow/graph_def.h"
#include "import/tensorflow/schema.h"

namespace berth {
namespace {

using tensorflow::GraphDef;
using tensorflow::GraphField;
using tensorflow::NodeDef;
using tensorflow::NodeField;

// The node that an input comes from: "a" of "a", "a:1" and "^a".
std::string_view node_of_input(std::string_view input) {
  if (tensorflow::is_control(input)) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

class NodePlacer {
 public:
  NodePlacer(const ExportRequest& request, const GraphDef& graph) : request_(request), graph_(graph) {}

  // Per node of the file; kNoDevice for those that are no part of the step.
  std::vector<DeviceId> run(std::vector<std::string>& notes) {
    for (const OpId op : request_.problem.graph().ops()) {
      ops_.emplace(request_.problem.graph().name(op), request_.plan.device(op));
    }
    std::unordered_map<std::string_view, std::uint32_t> number_of;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) number_of.emplace(graph_.nodes[i].name, i);
    std::vector<SourceNode> nodes(graph_.nodes.size());
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      nodes[i].device = device_of(graph_.nodes[i].name);
      for (const std::string_view input : graph_.nodes[i].inputs) {
        if (tensorflow::is_control(input)) continue;
        const auto from = number_of.find(node_of_input(input));
        if (from != number_of.end()) nodes[i].inputs.push_back(from->second);
      }
    }
    if (split_calls_.count() > 0) {
      notes.push_back(
          fmt::format("{} on several devices in the plan: all calls of a function share its nodes, so that "
                      "each goes where most of its ops are",
                      split_calls_.text("call of a function", "calls of functions")));
    }
    return place_source_nodes(nodes).device_of;
  }

 private:
  // Of its op, else of those that inlining has named after it: "call/inner".
  DeviceId device_of(std::string_view name) {
    if (const auto found = ops_.find(name); found != ops_.end()) return found->second;
    const std::string prefix = fmt::format("{}/", name);
    std::map<DeviceId, std::size_t> votes;
    for (auto op = ops_.lower_bound(prefix); op != ops_.end() && op->first.starts_with(prefix); ++op) {
      if (!is_in_file(op->first)) ++votes[op->second];
    }
    if (votes.empty()) return kNoDevice;
    if (votes.size() > 1) split_calls_.add(name);
    return std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
  }

  // Names of nodes may have slashes too.
  bool is_in_file(std::string_view name) {
    if (names_.empty()) {
      for (const NodeDef& node : graph_.nodes) names_.push_back(node.name);
      std::ranges::sort(names_);
    }
    return std::ranges::binary_search(names_, name);
  }

  const ExportRequest& request_;
  const GraphDef& graph_;
  std::map<std::string_view, DeviceId> ops_;  // by name
  std::vector<std::string_view> names_;
  NamedSome split_calls_;
};

// The file with new device fields: of all messages, only those around the graph and its nodes are written anew.
class DeviceWriter {
 public:
  DeviceWriter(std::string_view file, std::string_view graph, const std::vector<std::string>& devices)
      : file_(file), graph_(graph), devices_(devices) {}

  WireParts write(std::string_view message) const {
    if (message.data() == graph_.data() && message.size() == graph_.size()) return write_graph();
    WireParts parts(file_);
    for (WireReader field(message); field.next();) {
      const bool holds_graph = field.type() == WireType::kBytes && field.bytes().data() <= graph_.data() &&
                               field.bytes().data() + field.bytes().size() >= graph_.data() + graph_.size();
      if (holds_graph) {
        parts.add(field.field(), write(field.bytes()));
      } else {
        parts.keep(field.whole());
      }
    }
    return parts;
  }

 private:
  [[nodiscard]] WireParts write_graph() const {
    WireParts parts(file_);
    std::size_t node = 0;
    for (WireReader field(graph_); field.next();) {
      if (!field.is(GraphField::kNode, WireType::kBytes)) {
        parts.keep(field.whole());
        continue;
      }
      const std::string& device = devices_[node++];
      if (device.empty()) {
        parts.keep(field.whole());
      } else {
        parts.add(GraphField::kNode, write_node(field.bytes(), device));
      }
    }
    return parts;
  }

  [[nodiscard]] WireParts write_node(std::string_view bytes, const std::string& device) const {
    WireParts parts(file_);
    for (WireReader field(bytes); field.next();) {
      if (!field.is(NodeField::kDevice, WireType::kBytes)) parts.keep(field.whole());
    }
    parts.add(wire_field(NodeField::kDevice, device));
    return parts;
  }

  std::string_view file_, graph_;
  const std::vector<std::string>& devices_;  // per node; empty: as it is
};

}  // namespace

Result<Exported> export_tensorflow(const ExportRequest& request) {
  BERTH_TRY(const MappedFile file, MappedFile::open(request.source));
  const tensorflow::GraphChoice choice{request.import.step.tag, request.import.step.signature};
  auto chosen = tensorflow::choose_graph(file.bytes(), choice);
  if (!chosen) return in_file(request.source, chosen.error());
  auto graph = tensorflow::read_graph_def(file.bytes(), choice);
  if (!graph) return in_file(request.source, graph.error());

  Exported exported;
  std::vector<std::string> devices;
  std::size_t left = 0;
  for (const DeviceId device : NodePlacer(request, *graph).run(exported.notes)) {
    devices.push_back(device != kNoDevice ? runtime_name(Runtime::kTensorFlow, request, device) : std::string());
    if (device == kNoDevice) ++left;
  }
  if (left > 0) {
    exported.notes.push_back(fmt::format("{1} of {0} {2} no part of the step and {2} as in the file",
                                         group_digits(devices.size()), counted(left, "node"),
                                         left == 1 ? "is" : "are"));
  }
  note_order_and_fusions(request.plan, "TensorFlow, which orders and fuses by itself", exported.notes);
  auto parts = DeviceWriter(file.bytes(), chosen->graph, devices).write(file.bytes()).take();
  if (size_of(parts) > kMostMessageBytes) {
    return bad_input("{}: with device fields it would be larger than the 2 GiB that protobuf reads", request.source);
  }
  exported.files.push_back({.source = request.source, .parts = std::move(parts)});
  return exported;
}

}  // namespace berth
