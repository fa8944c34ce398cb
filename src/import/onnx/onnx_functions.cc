// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_functions.h"

#include <algorithm>

#include "files/protobuf/wire.h"

namespace berth {
namespace {

constexpr std::size_t kBytesPerByteOfGraph = 16;  // what a subgraph takes in memory, roughly

const OnnxAttribute* find_attribute(const std::vector<OnnxAttribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &OnnxAttribute::name);
  return found != attributes.end() ? &*found : nullptr;
}

// What stands in the place of an attribute inside a function; nullptr if nobody gives it.
const OnnxAttribute* resolved(const OnnxAttribute& attribute, const OnnxCall& call) {
  if (attribute.from_caller.empty()) return &attribute;
  const OnnxAttribute* given = find_attribute(call.caller.attributes, attribute.from_caller);
  return given != nullptr ? given : find_attribute(call.function.defaults, attribute.from_caller);
}

std::size_t size_of_list(const Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) return 8 * whole->size();
  if (const auto* floats = std::get_if<std::vector<double>>(&value)) return 8 * floats->size();
  std::size_t size = 0;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& text : *texts) size += sizeof(std::string) + text.size();
  }
  return size;
}

std::size_t size_of_contents(const OnnxAttribute& attribute) {
  std::size_t size = attribute.value ? size_of_list(*attribute.value) : 0;
  for (const std::string_view graph : attribute.graphs) size += kBytesPerByteOfGraph * graph.size();
  if (attribute.tensor && attribute.tensor->contents) size += 8 * attribute.tensor->contents->size();
  return size;
}

}  // namespace

std::string function_key(std::string_view type, std::string_view overload) {
  return overload.empty() ? std::string(type) : fmt::format("{}:{}", type, overload);
}

Status read_onnx_function(std::string_view bytes, OnnxFunctions& functions) {
  OnnxFunction function;
  std::string_view name, domain, overload;
  WireReader field(bytes);
  while (field.next()) {
    if (field.type() != WireType::kBytes) continue;
    if (field.field() == 1) name = field.bytes();
    if (field.field() == 4) function.inputs.emplace_back(field.bytes());
    if (field.field() == 5) function.outputs.emplace_back(field.bytes());
    if (field.field() == 7) {
      BERTH_TRY(OnnxNode node, read_onnx_node(field.bytes()));
      function.nodes.push_back(std::move(node));
    }
    if (field.field() == 10) domain = field.bytes();
    if (field.field() == 11) {
      BERTH_TRY(OnnxAttribute attribute, read_onnx_attribute(field.bytes()));
      function.defaults.push_back(std::move(attribute));
    }
    if (field.field() == 13) overload = field.bytes();
  }
  if (field.error()) return *field.error();
  functions[function_key(onnx_type(domain, name), overload)] = std::move(function);
  return {};
}

void resolve_attributes(OnnxNode& node, const OnnxCall& call) {
  for (OnnxAttribute& attribute : node.attributes) {
    if (attribute.from_caller.empty()) continue;
    const OnnxAttribute* given = resolved(attribute, call);
    if (given == nullptr) continue;
    const std::string name = attribute.name;
    attribute = *given;
    attribute.name = name;
    attribute.from_caller.clear();
  }
  std::erase_if(node.attributes, [](const OnnxAttribute& attribute) { return !attribute.from_caller.empty(); });
}

std::size_t size_of_copy(const OnnxNode& node, const OnnxCall& call, std::size_t prefix) {
  std::size_t size = sizeof(Node) + sizeof(Value) + prefix + node.name.size() + node.type.size();
  for (const std::string& input : node.inputs) size += sizeof(std::string) + input.size();
  for (const std::string& output : node.outputs) size += sizeof(Value) + prefix + output.size();
  for (const OnnxAttribute& attribute : node.attributes) {
    const OnnxAttribute* given = resolved(attribute, call);
    size += sizeof(OnnxAttribute) + attribute.name.size() + (given != nullptr ? size_of_contents(*given) : 0);
  }
  for (const auto& [key, value] : node.metadata) size += sizeof(node.metadata.front()) + key.size() + value.size();
  return size;
}

}  // namespace berth
