// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_source.h"

#include <map>

#include "files/protobuf/wire.h"
#include "import/onnx/onnx_locations.h"
#include "import/onnx/onnx_model.h"
#include "model/fold.h"
#include "model/shapes/shapes.h"

namespace berth {
namespace {

constexpr int kDeepestSourceBody = 64;
// Numbers of fields: GraphProto and TensorProto of onnx.proto.
enum GraphField : std::uint32_t {
  kNode = 1,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kQuantization = 14,
  kSparseInitializer = 15
};
constexpr std::uint32_t kTensorName = 8;

class SourceReader {
 public:
  Result<OnnxSource> read(std::string_view bytes) {
    WireReader field(bytes);
    std::string_view graph;
    while (field.next()) {
      if (field.is(kModelGraph, WireType::kBytes)) {
        if (!graph.empty()) return bad_input("it has two graphs; export it again");
        graph = field.bytes();
      } else {
        source_.around.push_back(field.whole());
      }
    }
    if (field.error()) return *field.error();
    BERTH_RETURN_IF_ERROR(read_graph(graph));
    BERTH_RETURN_IF_ERROR(find_onnx_locations(bytes, OnnxMessage::kModel, source_.data_files));
    for (std::uint32_t i = 0; i < source_.nodes.size(); ++i) {
      for (const std::string_view name : source_.nodes[i].makes) source_.maker[name] = i;
    }
    return std::move(source_);
  }

 private:
  Status read_graph(std::string_view bytes) {
    WireReader field(bytes);
    while (field.next()) {
      if (field.type() != WireType::kBytes) {
        source_.rest.push_back(field.whole());
        continue;
      }
      const std::string_view inside = field.bytes();
      switch (field.field()) {
        case kNode:
          BERTH_RETURN_IF_ERROR(add_node(field));
          break;
        case kInitializer:
          source_.weights.emplace(first_bytes(inside, kTensorName), field.whole());
          break;
        case kSparseInitializer:
          source_.weights.emplace(first_bytes(first_bytes(inside, 1), kTensorName), field.whole());
          break;
        case kInput:
        case kOutput:
        case kValueInfo:
          add_value(field);
          break;
        case kQuantization:
          break;  // notes for people; ONNX Runtime does not read them
        default:
          source_.rest.push_back(field.whole());
      }
    }
    if (field.error()) return *field.error();
    return {};
  }

  void add_value(const WireReader& field) {
    const std::string_view name = first_bytes(field.bytes(), 1);
    if (field.field() == kInput) {
      source_.inputs.push_back({name, field.whole()});
      source_.input_names.insert(name);
    }
    if (field.field() == kOutput) source_.outputs.push_back({name, field.whole()});
    source_.types.emplace(name, field.bytes());
  }

  Status add_node(const WireReader& node) {
    OnnxSource::Node added{.field = node.whole(),
                           .label = first_bytes(node.bytes(), 3),
                           .type = first_bytes(node.bytes(), 4),
                           .reads = {},
                           .makes = {}};
    for (WireReader field(node.bytes()); field.next();) {
      if (field.is(2, WireType::kBytes) && !field.bytes().empty()) added.makes.push_back(field.bytes());
    }
    if (added.label.empty() && !added.makes.empty()) added.label = added.makes.front();
    BERTH_RETURN_IF_ERROR(add_reads(node.bytes(), added.reads, 0));
    source_.nodes.push_back(std::move(added));
    return {};
  }

  // Names that a node and all nodes in its subgraphs read. Some of these are made inside; they do no harm.
  static Status add_reads(std::string_view node, std::vector<std::string_view>& reads, int depth) {
    if (depth > kDeepestSourceBody) return bad_input("its subgraphs are nested more than {} deep", kDeepestSourceBody);
    for (WireReader field(node); field.next();) {
      if (field.is(1, WireType::kBytes) && !field.bytes().empty()) reads.push_back(field.bytes());
      if (!field.is(5, WireType::kBytes)) continue;
      for (WireReader attribute(field.bytes()); attribute.next();) {
        const bool is_graph = attribute.is(6, WireType::kBytes) || attribute.is(11, WireType::kBytes);
        if (is_graph) BERTH_RETURN_IF_ERROR(add_reads_of_body(attribute.bytes(), reads, depth + 1));
      }
    }
    return {};
  }

  static Status add_reads_of_body(std::string_view graph, std::vector<std::string_view>& reads, int depth) {
    for (WireReader field(graph); field.next();) {
      if (field.is(kNode, WireType::kBytes)) BERTH_RETURN_IF_ERROR(add_reads(field.bytes(), reads, depth));
      if (field.is(kOutput, WireType::kBytes)) reads.push_back(first_bytes(field.bytes(), 1));
    }
    return {};
  }

  OnnxSource source_;
};

class NodeFinder {
 public:
  explicit NodeFinder(const OnnxSource& source) : source_(source) {
    for (std::uint32_t i = 0; i < source.nodes.size(); ++i) by_label_.emplace(source.nodes[i].label, i);
  }

  // By what it makes; inside a function names begin with the label of the call.
  [[nodiscard]] std::uint32_t find(const Model& model, const Node& node) const {
    for (const ValueIndex output : node.outputs) {
      if (output == kNoValue) continue;
      const std::string_view name = model.values[output].name;
      if (const auto maker = source_.maker.find(name); maker != source_.maker.end()) return maker->second;
      for (std::size_t end = name.find('/'); end != std::string_view::npos; end = name.find('/', end + 1)) {
        if (const auto call = by_label_.find(name.substr(0, end)); call != by_label_.end()) return call->second;
      }
    }
    return kNoOnnxNode;
  }

 private:
  const OnnxSource& source_;
  std::map<std::string_view, std::uint32_t> by_label_;
};

}  // namespace

Result<OnnxSource> read_onnx_source(std::string_view bytes) { return SourceReader().read(bytes); }

// Does what lower() does: what is left after folding are the ops, weights and inputs first.
Result<OnnxOps> find_onnx_ops(std::string_view bytes, const OnnxSource& source, const DimSizes& dims,
                              std::size_t num_ops) {
  OnnxOps ops;
  BERTH_TRY(ops.model, read_onnx_model(bytes, {}));
  BERTH_RETURN_IF_ERROR(infer_shapes(ops.model, dims));
  fold_constants(ops.model);
  if (ops.model.leaves.size() + ops.model.nodes.size() != num_ops) {
    return bad_input("the file has changed while it was read; try again");
  }
  ops.node_of.assign(ops.model.leaves.size(), kNoOnnxNode);
  const NodeFinder finder(source);
  for (const Node& node : ops.model.nodes) ops.node_of.push_back(finder.find(ops.model, node));
  return ops;
}

}  // namespace berth
