// SPDX-License-Identifier: Apache-2.0
// Layer settings of ONNX Runtime, applied to the annotations or names of the nodes in the model's file.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire.h"
#include "import/onnx/onnx_node.h"
#include "import/onnx/onnx_ops.h"
#include "import/plans/ort_settings.h"
#include "import/plans/readers.h"

namespace berth {
namespace {

struct Given {
  std::string text;
  bool by_name = false;
};

Result<Given> settings_in(const std::string& text) {
  if (!trim(text).starts_with('{')) return Given{std::string(trim(text)), false};
  BERTH_TRY(JsonDocument document, JsonDocument::open(text));
  Given given;
  given.by_name = !document.has(kLayerSettings);
  BERTH_TRY(given.text, document.string(given.by_name ? kNameSettings : kLayerSettings));
  return given;
}

// As a device field has it: "gpu:1" stays, names of execution providers become kinds.
std::string device_field(const std::string& designator) {
  if (designator == "cuda" || designator == "dml" || designator == "accelerator") return "gpu";
  const std::size_t colon = designator.find(':');
  if (colon == std::string::npos) return designator;
  const std::string_view behind = std::string_view(designator).substr(colon + 1);
  const bool is_number = !behind.empty() && std::ranges::all_of(behind, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? designator : designator.substr(0, colon);  // "gpu:nvidia"
}

// The node's annotation, or its name.
Result<std::string> key_of(std::string_view field, bool by_name) {
  WireReader reader(field);
  reader.next();
  BERTH_TRY(const OnnxNode node, read_onnx_node(reader.bytes()));
  if (by_name) return node.name;
  const auto found = std::ranges::find(node.metadata, kLayerAnnotation, &std::pair<std::string, std::string>::first);
  return found != node.metadata.end() ? found->second : std::string();
}

}  // namespace

Result<StatedPlan> read_ort_settings(const std::string& text, const ForeignPlanRequest& request) {
  if (!request.source.ends_with(".onnx")) {
    return bad_input("layer settings of ONNX Runtime are for models in ONNX; '{}' is none", request.source);
  }
  BERTH_TRY(const Given given, settings_in(text));
  BERTH_TRY(const OrtSettings settings, OrtSettings::parse(given.text, given.by_name));
  BERTH_TRY(const MappedFile file, MappedFile::open(request.source));
  BERTH_TRY(const OnnxSource source, read_onnx_source(file.bytes()));
  const Graph& graph = request.problem.graph();
  BERTH_TRY(const OnnxOps ops, find_onnx_ops(file.bytes(), source, request.import.dims, graph.num_ops()));
  std::vector<std::string> device_of;
  for (const OnnxSource::Node& node : source.nodes) {
    BERTH_TRY(const std::string key, key_of(node.field, given.by_name));
    const auto designator = key.empty() ? std::nullopt : settings.device_for(key);
    device_of.push_back(designator ? device_field(*designator) : std::string());
  }
  OpDevices devices(graph.num_ops());
  for (std::size_t op = 0; op < devices.size(); ++op) {
    if (ops.node_of[op] != kNoOnnxNode) devices[op] = device_of[ops.node_of[op]];
  }
  if (std::ranges::all_of(devices, [](const std::string& device) { return device.empty(); })) {
    return bad_input(
        "no rule matches a node of '{}'{}", request.source,
        given.by_name ? "" : ", whose nodes have no fitting annotation layer_ann; give the annotated model as GRAPH");
  }
  return StatedPlan{std::move(devices)};
}

}  // namespace berth
