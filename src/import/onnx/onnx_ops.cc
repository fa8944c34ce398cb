// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_ops.h"

#include <map>

#include "import/onnx/onnx_model.h"
#include "model/fold.h"
#include "model/shapes/shapes.h"

namespace berth {
namespace {

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
