// SPDX-License-Identifier: Apache-2.0
#include "import/plans/ort_settings.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire.h"
#include "import/onnx/onnx_node.h"
#include "import/onnx/onnx_source.h"
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

Result<OrtSettings> OrtSettings::parse(std::string_view text, bool by_name) {
  OrtSettings settings;
  settings.by_name_ = by_name;
  for (const std::string_view piece : split(text, ';')) {
    const std::string_view entry = trim(piece);
    if (entry.empty()) continue;
    const std::size_t open = entry.find('(');
    if (open == std::string_view::npos || !entry.ends_with(')')) {
      return bad_input("{} is no rule for layers; write device(pattern, pattern); ...", in_quotes(entry));
    }
    const std::string device(trim(entry.substr(0, open)));
    if (device.empty()) return bad_input("the rule {} names no device", in_quotes(entry));
    for (const std::string_view word : split(entry.substr(open + 1, entry.size() - open - 2), ',')) {
      std::string_view pattern = trim(word);
      const bool is_exact = pattern.starts_with('=');
      if (is_exact) pattern = trim(pattern.substr(1));
      if (pattern.empty()) return bad_input("the rule {} has an empty pattern", in_quotes(entry));
      if (is_exact && by_name) {
        return bad_input("the rule {}: rules for names take no '='", in_quotes(entry));
      }
      settings.rules_.push_back({device, std::string(pattern), is_exact});
    }
  }
  if (settings.rules_.empty()) return bad_input("it has no rule for layers; write device(pattern, pattern); ...");
  return settings;
}

std::optional<std::string> OrtSettings::device_for(std::string_view text) const {
  const Rule* best = nullptr;
  for (const Rule& rule : rules_) {
    if (by_name_) {
      const bool is_inside = text.find(rule.pattern) != std::string_view::npos;
      if (is_inside && (best == nullptr || rule.pattern.size() > best->pattern.size())) best = &rule;
    } else if (rule.is_exact ? text == rule.pattern : text.starts_with(rule.pattern)) {
      if (best == nullptr || (best->is_exact && !rule.is_exact)) best = &rule;
    }
  }
  return best != nullptr ? std::optional(best->device) : std::nullopt;
}

// Of import/plans/readers.h. Settings are applied to the annotations or names of the nodes in the model's file.
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
