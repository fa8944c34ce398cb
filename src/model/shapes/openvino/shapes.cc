// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/openvino/shapes.h"

#include "model/model.h"
#include "model/shapes/openvino/rules.h"
#include "model/shapes/pass.h"

namespace berth {
namespace {

void bind_given(Value& value, const DimSizes& given) {
  if (!value.shape) return;
  for (Dim& dim : *value.shape) {
    const auto stated = dim.symbol.empty() ? given.end() : given.find(dim.symbol);
    if (stated != given.end()) dim.size = stated->second;
  }
}

// Sizes that follow from others are plain numbers: only those that the user gives, or still can, have names.
void forget_names_of_results(Model& model, const DimSizes& given) {
  for (Value& value : model.values) {
    if (!value.shape) continue;
    for (Dim& dim : *value.shape) {
      if (dim.known() && !given.contains(dim.symbol)) dim.symbol.clear();
    }
  }
}

}  // namespace

void infer_openvino_shapes(Model& model, const DimSizes& given) {
  for (const Leaf& leaf : model.leaves) bind_given(model.values[leaf.value], given);
  ShapePass pass(model, openvino::openvino_rules(), given);
  for (const std::uint32_t at : topological_order(model)) {
    Node& node = model.nodes[at];
    pass.visit(node);
    for (const ValueIndex output : node.outputs) bind_given(model.values[output], given);
  }
  forget_names_of_results(model, given);
}

}  // namespace berth
