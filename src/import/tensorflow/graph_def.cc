// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/graph_def.h"

#include <algorithm>
#include <charconv>

#include "files/json/json_reader.h"
#include "files/protobuf/proto_text.h"
#include "files/protobuf/wire.h"
#include "import/tensorflow/container.h"
#include "import/tensorflow/schema.h"

namespace berth::tensorflow {
namespace {

// Names stand in messages, plans and other files: one printable word.
constexpr std::size_t kLongestName = 2048;

bool is_printable(std::string_view name) {
  return name.size() <= kLongestName && std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<NodeDef> read_node(std::string_view bytes) {
  NodeDef node;
  for (WireReader field(bytes); field.next();) {
    if (field.type() != WireType::kBytes) continue;
    switch (field.field()) {
      case NodeField::kName:
        node.name = field.bytes();
        break;
      case NodeField::kOp:
        node.op = field.bytes();
        break;
      case NodeField::kInput:
        node.inputs.push_back(field.bytes());
        break;
      case NodeField::kDevice:
        node.device = field.bytes();
        break;
      case NodeField::kAttr:
        node.attributes.push_back(read_entry(field.bytes()));
        break;
      default:
        break;
    }
  }
  if (node.name.empty()) return bad_input("a node has no name");
  if (!is_printable(node.name)) return bad_input("a node is named {}: no printable word", in_quotes(node.name));
  if (node.op.empty() || !is_printable(node.op)) {
    return bad_input("node '{}': its op is {}: no printable word", node.name, in_quotes(node.op));
  }
  if (!is_printable(node.device)) {
    return bad_input("node '{}': its device is {}: no printable word", node.name, in_quotes(node.device));
  }
  return node;
}

void read_signature(std::string_view bytes, FunctionDef& function) {
  const auto read_argument = [&](std::string_view argument, std::vector<std::string_view>& names) {
    names.emplace_back();
    for (WireReader field(argument); field.next();) {
      if (field.is(ArgField::kName, WireType::kBytes)) names.back() = field.bytes();
      const bool list = field.field() == ArgField::kNumberAttr || field.field() == ArgField::kTypeListAttr;
      if (list && field.type() == WireType::kBytes && !field.bytes().empty()) function.takes_lists = true;
    }
  };
  for (WireReader field(bytes); field.next();) {
    if (field.is(OpDefField::kName, WireType::kBytes)) function.name = field.bytes();
    if (field.is(OpDefField::kInput, WireType::kBytes)) read_argument(field.bytes(), function.inputs);
    if (field.is(OpDefField::kOutput, WireType::kBytes)) read_argument(field.bytes(), function.outputs);
  }
}

Result<FunctionDef> read_function(std::string_view bytes) {
  FunctionDef function;
  for (WireReader field(bytes); field.next();) {
    if (field.is(FunctionField::kSignature, WireType::kBytes)) read_signature(field.bytes(), function);
    if (field.is(FunctionField::kReturn, WireType::kBytes)) function.returns.push_back(read_entry(field.bytes()));
    if (field.is(FunctionField::kControlReturn, WireType::kBytes)) {
      function.control_returns.push_back(read_entry(field.bytes()).second);
    }
    if (field.is(FunctionField::kNode, WireType::kBytes)) {
      auto node = read_node(field.bytes());
      if (!node) return within(fmt::format("function {}", in_quotes(function.name)), node.error());
      function.nodes.push_back(*std::move(node));
    }
  }
  if (!is_printable(function.name))
    return bad_input("a function is named {}: no printable word", in_quotes(function.name));
  return function;
}

Status read_library(std::string_view bytes, GraphDef& graph) {
  for (WireReader field(bytes); field.next();) {
    if (!field.is(LibraryField::kFunction, WireType::kBytes)) continue;
    BERTH_TRY(FunctionDef function, read_function(field.bytes()));
    graph.functions.push_back(std::move(function));
  }
  return {};
}

std::optional<std::uint32_t> parse_index(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMaxOutputIndex) return std::nullopt;
  return value;
}

Error no_such_input(std::string_view user, std::string_view input) {
  return bad_input("node '{}': its input {} does not exist", user, in_quotes(input));
}

}  // namespace

Result<GraphDef> read_graph_def(std::string_view bytes, const GraphChoice& choice) {
  BERTH_TRY(const ChosenGraph chosen, choose_graph(bytes, choice));
  GraphDef graph;
  graph.outputs = chosen.outputs;
  for (WireReader field(chosen.graph); field.next();) {
    if (field.is(GraphField::kNode, WireType::kBytes)) {
      BERTH_TRY(NodeDef node, read_node(field.bytes()));
      graph.nodes.push_back(std::move(node));
    } else if (field.is(GraphField::kLibrary, WireType::kBytes)) {
      BERTH_RETURN_IF_ERROR(read_library(field.bytes(), graph));
    }
  }
  if (graph.nodes.empty()) return bad_input("the graph has no nodes");
  return graph;
}

Result<std::string> graph_text_to_wire(std::string_view text) {
  const std::string_view first = first_field_of_text(text);
  for (const ProtoMessage* message : {&kGraphDef, &kMetaGraphDef, &kSavedModel}) {
    if (message->find(first) != nullptr) return text_to_wire(text, *message);
  }
  // Fields that only one of them has, and that we do not read.
  const bool meta_graph =
      first == "saver_def" || first == "collection_def" || first == "asset_file_def" || first == "object_graph_def";
  if (meta_graph) return text_to_wire(text, kMetaGraphDef);
  if (first == "versions" || first == "version" || first == "debug_info") return text_to_wire(text, kGraphDef);
  return bad_input("no GraphDef, MetaGraphDef or SavedModel in text format: it begins with {}", in_quotes(first));
}

std::optional<InputText> parse_input(std::string_view text) {
  InputText input;
  const std::size_t first = text.find(':');
  input.node = text.substr(0, first);
  if (first != std::string_view::npos) {
    const std::size_t last = text.rfind(':');
    const auto index = parse_index(text.substr(last + 1));
    if (!index) return std::nullopt;
    input.index = *index;
    if (last > first) input.output = text.substr(first + 1, last - first - 1);
  }
  if (input.node.empty()) return std::nullopt;
  return input;
}

std::span<const std::string_view> data_inputs(const NodeDef& node) {
  const auto end = std::ranges::find_if(node.inputs, is_control);
  return std::span(node.inputs).first(static_cast<std::size_t>(end - node.inputs.begin()));
}

}  // namespace berth::tensorflow
