// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/convs.h"

#include "base/sole_number.h"
#include "learn/grouping/labels.h"
#include "plan/layers/backward_ops.h"
#include "problem/cost/op_class.h"

namespace berth::learn {
namespace {

bool may_follow(const Graph& graph, OpId op) {
  if (graph.role(op) == Role::kView) return true;
  if (graph.role(op) != Role::kCompute) return false;
  switch (class_of(graph, op)) {
    case CostClass::kBatchNorm:
    case CostClass::kBatchNormInference:
    case CostClass::kLayerNorm:
    case CostClass::kElementwise:
    case CostClass::kRandom:
    case CostClass::kPool:
      return true;
    default:
      return false;
  }
}

// The op whose values this one works on: the only one among its inputs that is not a parameter or the like.
OpId only_source(const Graph& graph, OpId op) {
  SoleNumber only;
  for (const TensorId tensor : graph.inputs(op)) {
    const OpId producer = graph.producer(tensor);
    if (!is_resident(graph.role(producer))) only.see(static_cast<std::uint32_t>(producer));
  }
  return only.exists() ? OpId(only.number()) : kNoOp;
}

bool has_one_reader(const Graph& graph, OpId op, const std::vector<std::uint8_t>& backward) {
  SoleNumber only;
  for (const TensorId tensor : graph.outputs(op)) {
    for (const OpId consumer : graph.consumers(tensor)) {
      if (backward[index(consumer)] == 0) only.see(static_cast<std::uint32_t>(consumer));
    }
  }
  return only.exists();
}

}  // namespace

bool is_convolution(const Graph& graph, OpId op) {
  if (graph.role(op) != Role::kCompute) return false;
  const CostClass kind = class_of(graph, op);
  return kind == CostClass::kConvPointwise || kind == CostClass::kConvWindowed;
}

std::vector<std::uint32_t> conv_labels(const Graph& graph) {
  const std::vector<std::uint8_t> backward = backward_ops(graph);
  std::vector<std::uint32_t> label(graph.num_ops(), kNoLabel);
  std::uint32_t blocks = 0;
  for (const OpId op : graph.topological_order()) {
    if (backward[index(op)] != 0 || is_resident(graph.role(op))) continue;
    if (is_convolution(graph, op)) {
      label[index(op)] = blocks++;
    } else if (may_follow(graph, op)) {
      const OpId source = only_source(graph, op);
      if (source != kNoOp && has_one_reader(graph, source, backward)) label[index(op)] = label[index(source)];
    }
  }
  spread_labels(graph, backward, label);
  return label;
}

}  // namespace berth::learn
