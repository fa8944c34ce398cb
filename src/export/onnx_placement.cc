// SPDX-License-Identifier: Apache-2.0
#include "export/onnx_placement.h"
#include "export/lost.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "import/onnx/onnx_source.h"

namespace berth {
namespace {

// Where most of the ops are that a node stands for; of equals the first.
DeviceId most_common(const std::map<DeviceId, std::size_t>& votes) {
  return std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
}

namespace fs = std::filesystem;

bool is_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() && name.find('\0') == std::string::npos &&
         std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

using Votes = std::map<std::uint32_t, std::map<DeviceId, std::size_t>>;  // by node, number of its ops by device

Votes votes_of_ops(const OnnxOps& ops, const Plan& plan) {
  Votes votes;
  for (std::size_t op = 0; op < ops.node_of.size(); ++op) {
    if (ops.node_of[op] != kNoOnnxNode) ++votes[ops.node_of[op]][plan.device(OpId(op))];
  }
  return votes;
}

std::vector<SourceNode> nodes_of(const OnnxSource& source, const Votes& votes) {
  std::vector<SourceNode> nodes(source.nodes.size());
  for (std::uint32_t i = 0; i < source.nodes.size(); ++i) {
    for (const std::string_view name : source.nodes[i].reads) {
      const auto maker = source.maker.find(name);
      if (maker != source.maker.end()) {
        if (maker->second != i) nodes[i].inputs.push_back(maker->second);
      } else if (source.is_input(name)) {
        nodes[i].reads_input = true;
      }
    }
    if (const auto vote = votes.find(i); vote != votes.end()) nodes[i].device = most_common(vote->second);
  }
  return nodes;
}

// Weights have no place of their own in a session: they are loaded where they are read.
void note_weights_elsewhere(const Graph& graph, const Plan& plan, std::vector<std::string>& notes) {
  NamedSome moved;
  for (const OpId op : graph.ops()) {
    if (!is_resident(graph.role(op))) continue;
    bool is_read = false, is_read_there = false;
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId reader : graph.consumers(tensor)) {
        is_read = true;
        is_read_there = is_read_there || plan.device(reader) == plan.device(op);
      }
    }
    if (is_read && !is_read_there) moved.add(graph.name(op));
  }
  if (moved.count() == 0) return;
  notes.push_back(fmt::format(
      "{} elsewhere than in the plan: ONNX Runtime keeps weights and constants with the nodes that read them",
      moved.text("weight", "weights")));
}

}  // namespace

Result<OnnxPlacement> place_onnx_nodes(const ExportRequest& request, std::string_view bytes, const OnnxSource& source) {
  const Graph& graph = request.problem.graph();
  BERTH_TRY(OnnxOps ops, find_onnx_ops(bytes, source, request.import.dims, graph.num_ops()));
  const Votes votes = votes_of_ops(ops, request.plan);
  OnnxPlacement result;
  result.model = std::move(ops.model);
  result.nodes = nodes_of(source, votes);
  result.placed = place_source_nodes(result.nodes);
  const DeviceId fallback = request.problem.machine().first_of(DeviceKind::kCpu).value_or(DeviceId(0));
  for (DeviceId& device : result.placed.device_of) device = device == kNoDevice ? fallback : device;
  NamedSome split;
  for (const auto& [node, vote] : votes) {
    if (vote.size() > 1) split.add(source.nodes[node].label);
  }
  if (split.count() > 0) {
    result.notes.push_back(
        fmt::format("{} on several devices in the plan: a call is one node for ONNX Runtime, and goes "
                    "where most of its ops are; inline the functions to place them one by one",
                    split.text("call of a function", "calls of functions")));
  }
  note_weights_elsewhere(graph, request.plan, result.notes);
  return result;
}

OnnxLocations data_locations(const OnnxSource& source) {
  OnnxLocations locations;
  std::map<std::string, std::string> name_of;  // one file may be spelt in several ways
  for (const std::string& location : source.data_files) {
    if (!is_inside(location)) continue;
    const std::string next = fmt::format("data/weights{}.bin", name_of.size());
    locations[location] = name_of.emplace(fs::path(location).lexically_normal().string(), next).first->second;
  }
  return locations;
}

void add_data_files(const ExportRequest& request, const OnnxSource& source, const OnnxLocations& locations,
                    Exported& exported) {
  std::set<std::string> added;
  for (const std::string& location : source.data_files) {
    const auto renamed = locations.find(location);
    if (renamed == locations.end()) {
      exported.notes.push_back(
          fmt::format("the model has weights in '{}', outside its folder; they are not copied, and ONNX Runtime will "
                      "look for them there, seen from the export",
                      location));
      continue;
    }
    if (!added.insert(renamed->second).second) continue;
    const fs::path file = fs::path(request.source).parent_path() / location;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) {
      exported.files.push_back({.name = renamed->second, .source = file.string(), .is_copy = true});
    } else {
      exported.notes.push_back(
          fmt::format("the file '{}' with weights is not beside the model; put it into the folder of the export as {}",
                      location, renamed->second));
    }
  }
}

}  // namespace berth
