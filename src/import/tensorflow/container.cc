// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/container.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/protobuf/wire.h"
#include "import/tensorflow/schema.h"

namespace berth::tensorflow {
namespace {

constexpr std::string_view kUsualTag = "serve", kUsualSignature = "serving_default";

enum class ContainerKind : std::uint8_t { kGraph, kMetaGraph, kSavedModel };

// Whether the bytes are a node: its second field names an op. In the information about a meta graph, which stands in
// the same place, that field is missing or a message.
bool looks_like_node(std::string_view bytes) {
  for (WireReader field(bytes); field.next();) {
    if (!field.is(NodeField::kOp, WireType::kBytes)) continue;
    return !field.bytes().empty() && std::ranges::all_of(field.bytes(), [](char c) { return c > ' ' && c < '\x7f'; });
  }
  return false;
}

// The first field of all three is a different thing: a node, a message or a number.
ContainerKind container_of(std::string_view bytes) {
  bool seen_first = false, seen_graph = false;
  for (WireReader field(bytes); field.next();) {
    if (field.is(SavedModelField::kVersion, WireType::kVarint)) return ContainerKind::kSavedModel;
    if (field.is(GraphField::kNode, WireType::kBytes) && !seen_first) {
      if (looks_like_node(field.bytes())) return ContainerKind::kGraph;
      seen_first = true;
    }
    if (field.is(MetaGraphField::kGraph, WireType::kBytes)) seen_graph = true;
  }
  return seen_graph ? ContainerKind::kMetaGraph : ContainerKind::kGraph;
}

using Signatures = std::map<std::string_view, std::string_view>;  // by name: SignatureDef

struct MetaGraph {
  std::string_view graph;
  std::vector<std::string> tags;
  Signatures signatures;
};

MetaGraph read_meta_graph(std::string_view bytes) {
  MetaGraph meta;
  for (WireReader field(bytes); field.next();) {
    if (field.is(MetaGraphField::kGraph, WireType::kBytes)) meta.graph = field.bytes();
    if (field.is(MetaGraphField::kSignature, WireType::kBytes)) meta.signatures.insert(read_entry(field.bytes()));
    if (!field.is(MetaGraphField::kInfo, WireType::kBytes)) continue;
    for (WireReader info(field.bytes()); info.next();) {
      if (info.is(InfoField::kTag, WireType::kBytes)) meta.tags.emplace_back(info.bytes());
    }
  }
  return meta;
}

std::vector<std::string_view> outputs_of(std::string_view signature) {
  std::map<std::string_view, std::string_view> by_key;
  for (WireReader field(signature); field.next();) {
    if (!field.is(SignatureField::kOutput, WireType::kBytes)) continue;
    const auto [key, info] = read_entry(field.bytes());
    for (WireReader part(info); part.next();) {
      if (part.is(TensorInfoField::kName, WireType::kBytes)) by_key[key] = part.bytes();
    }
  }
  std::vector<std::string_view> outputs;
  for (const auto& [key, tensor] : by_key) {
    if (!tensor.empty()) outputs.push_back(tensor);
  }
  return outputs;
}

// Of a signature that the user names, else of the usual one, else of the first that has any. "__saved_model_..." are
// TensorFlow's own.
Result<std::vector<std::string_view>> choose_outputs(const Signatures& signatures, const std::string& wanted) {
  if (!wanted.empty()) {
    const auto found = signatures.find(wanted);
    if (found != signatures.end()) return outputs_of(found->second);
    std::vector<std::string> names;
    for (const auto& [name, signature] : signatures) names.emplace_back(name);
    return bad_input("there is no signature '{}'{}; the file has: {}", wanted, did_you_mean(wanted, names),
                     names.empty() ? "none" : join(names, ", "));
  }
  const auto usual = signatures.find(kUsualSignature);
  if (usual != signatures.end()) return outputs_of(usual->second);
  for (const auto& [name, signature] : signatures) {
    auto outputs = outputs_of(signature);
    if (!name.starts_with("__") && !outputs.empty()) return outputs;
  }
  return std::vector<std::string_view>();
}

// A bare graph, or a meta graph, cannot be chosen by what it does not have.
Status refuse_tag(const std::vector<std::string>& tags, const std::string& wanted) {
  if (wanted.empty() || std::ranges::find(tags, wanted) != tags.end()) return {};
  return bad_input("the graph does not have the tag '{}'; it has: {}", wanted,
                   tags.empty() ? "none" : join(tags, ", "));
}

Result<ChosenGraph> choose_in(const MetaGraph& meta, const GraphChoice& choice) {
  if (meta.graph.empty()) return bad_input("the meta graph has no graph");
  BERTH_TRY(auto outputs, choose_outputs(meta.signatures, choice.signature));
  return ChosenGraph{meta.graph, std::move(outputs)};
}

Result<MetaGraph> choose_meta_graph(std::string_view bytes, const std::string& wanted) {
  std::vector<MetaGraph> all;
  for (WireReader field(bytes); field.next();) {
    if (field.is(SavedModelField::kMetaGraph, WireType::kBytes)) all.push_back(read_meta_graph(field.bytes()));
  }
  if (all.empty()) return bad_input("the saved model has no graph");
  const std::string tag(wanted.empty() ? kUsualTag : wanted);
  std::vector<std::string> tags;
  for (MetaGraph& meta : all) {
    if (std::ranges::find(meta.tags, tag) != meta.tags.end()) return std::move(meta);
    tags.insert(tags.end(), meta.tags.begin(), meta.tags.end());
  }
  if (wanted.empty()) return std::move(all.front());
  return bad_input("no graph of the saved model has the tag '{}'{}; they have: {}", tag, did_you_mean(tag, tags),
                   tags.empty() ? "none" : join(tags, ", "));
}

}  // namespace

Result<ChosenGraph> choose_graph(std::string_view bytes, const GraphChoice& choice) {
  switch (container_of(bytes)) {
    case ContainerKind::kSavedModel: {
      BERTH_RETURN_IF_ERROR(check_wire(bytes, kSavedModel));
      BERTH_TRY(const MetaGraph meta, choose_meta_graph(bytes, choice.tag));
      return choose_in(meta, choice);
    }
    case ContainerKind::kMetaGraph: {
      BERTH_RETURN_IF_ERROR(check_wire(bytes, kMetaGraphDef));
      const MetaGraph meta = read_meta_graph(bytes);
      BERTH_RETURN_IF_ERROR(refuse_tag(meta.tags, choice.tag));
      return choose_in(meta, choice);
    }
    case ContainerKind::kGraph:
      break;
  }
  BERTH_RETURN_IF_ERROR(check_wire(bytes, kGraphDef));
  BERTH_RETURN_IF_ERROR(refuse_tag({}, choice.tag));
  if (!choice.signature.empty()) {
    return bad_input("there is no signature '{}': the file is a bare graph; name its output nodes instead",
                     choice.signature);
  }
  return ChosenGraph{bytes, {}};
}

}  // namespace berth::tensorflow
