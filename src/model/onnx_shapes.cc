// SPDX-License-Identifier: Apache-2.0
#include "model/onnx_shapes.h"

#include <algorithm>

#include "graph/builder.h"
#include "model/onnx_contents.h"
#include "model/onnx_rules.h"
#include "model/order.h"

namespace berth {
namespace {

// What the file says stays; what it leaves open is filled in.
void fill_in(Value& value, const Inferred& found) {
  if (!value.dtype) value.dtype = found.dtype;
  // A Gather of a tensor by itself doubles the rank: a few of them would fill any memory.
  if (!found.shape || found.shape->size() > static_cast<std::size_t>(kMaxRank)) return;
  if (!value.shape || value.shape->size() != found.shape->size()) {
    if (!value.shape) value.shape = found.shape;
    return;
  }
  for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
    if (!(*value.shape)[axis].known()) (*value.shape)[axis] = (*found.shape)[axis];
  }
}

}  // namespace

void infer_onnx_shapes(Model& model) {
  for (const std::uint32_t at : topological_order(model)) {
    const Node& node = model.nodes[at];
    const OnnxView view(model, node);
    const std::vector<Inferred> outputs = infer_outputs(view);
    for (std::size_t i = 0; i < std::min(outputs.size(), node.outputs.size()); ++i) {
      if (node.outputs[i] != kNoValue) fill_in(model.values[node.outputs[i]], outputs[i]);
    }
    if (node.outputs.empty() || node.outputs.front() == kNoValue) continue;
    auto contents = compute_contents(view);
    Value& first = model.values[node.outputs.front()];
    if (!contents || first.contents) continue;
    if (!first.shape) first.shape = Shape{{static_cast<std::int64_t>(contents->size()), {}}};
    first.contents = std::move(contents);
  }
}

}  // namespace berth
