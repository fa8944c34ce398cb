// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_subgraphs.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace berth {
namespace {

constexpr int kDeepestBody = 16;

Error refused(const OnnxNode& node, std::string_view why) {
  return bad_input("node '{}' ({}) {}", label_of(node), node.type, why);
}

Result<std::string_view> find_subgraph(const OnnxNode& node, std::string_view name) {
  for (const OnnxAttribute& attribute : node.attributes) {
    if (attribute.name == name && attribute.graphs.size() == 1) return attribute.graphs.front();
  }
  return refused(node, fmt::format("has no subgraph '{}'", name));
}

// Further inputs of the node, each once.
class CapturedInputs {
 public:
  explicit CapturedInputs(Node& node) : node_(node) {}
  std::size_t position_of(ValueIndex value) {
    const auto [found, is_new] = position_.emplace(value, node_.inputs.size());
    if (is_new) node_.inputs.push_back(value);
    return found->second;
  }

 private:
  Node& node_;
  std::unordered_map<ValueIndex, std::size_t> position_;
};

Status check_branch(const OnnxNode& node, const OnnxGraph& branch) {
  if (!branch.inputs.empty()) return refused(node, "has a branch with inputs of its own; branches have none");
  if (branch.model.outputs.size() < node.outputs.size())
    return refused(node, "has a branch with fewer outputs than the node");
  return {};
}

// A Loop hands its body the turn's number and the condition, then what it carries; a Scan its states and slices.
Status check_loop(const OnnxNode& node, const OnnxGraph& body, Node& added) {
  if (added.inputs.size() > body.inputs.size()) {
    return refused(node,
                   fmt::format("has {} inputs and its body {}; models older than opset 9 (2019) are to be exported "
                               "anew",
                               added.inputs.size(), body.inputs.size()));
  }
  if (node.type == "Scan" && added.inputs.size() < body.inputs.size()) return refused(node, "lacks inputs of its body");
  added.inputs.resize(body.inputs.size(), kNoValue);  // a trip count or a condition that is left out
  return {};
}

}  // namespace

bool has_subgraph(const OnnxNode& node) {
  return std::ranges::any_of(node.attributes, [](const OnnxAttribute& attribute) { return !attribute.graphs.empty(); });
}

Status add_bodies(const OnnxNode& node, Node& added, OnnxFile& file, const OnnxPlace& place) {
  const bool branches = node.type == "If", loops = node.type == "Loop" || node.type == "Scan";
  if (!branches && !loops)
    return refused(node, "runs a subgraph in a way that is not known here; export the model without it");
  if (place.depth >= kDeepestBody) {
    return refused(node, fmt::format("is inside {} others, the most that are read; simplify the model or export it "
                                     "with fewer branches and loops inside each other",
                                     kDeepestBody));
  }
  const std::array<std::string_view, 2> names = branches ? std::array<std::string_view, 2>{"then_branch", "else_branch"}
                                                         : std::array<std::string_view, 2>{"body", ""};
  CapturedInputs captured(added);
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    BERTH_TRY(const std::string_view bytes, find_subgraph(node, name));
    auto graph = read_onnx_graph(bytes, file, place);
    if (!graph) return within(fmt::format("node '{}'", label_of(node)), graph.error());
    BERTH_RETURN_IF_ERROR(branches ? check_branch(node, *graph) : check_loop(node, *graph, added));
    auto body = std::make_shared<Body>();
    body->model = std::move(graph->model);
    body->inputs = std::move(graph->inputs);
    for (const auto& [inside, outside] : graph->captured)
      body->captured.push_back({inside, captured.position_of(outside)});
    added.bodies.push_back(std::move(body));
  }
  return {};
}

}  // namespace berth
