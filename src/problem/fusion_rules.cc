// SPDX-License-Identifier: Apache-2.0
#include "problem/fusion_rules.h"

#include <algorithm>

#include "problem/cost/op_class.h"
#include "problem/cost/tensor_shapes.h"

namespace berth {
namespace {

bool reduces_much(const Graph& graph, OpId op) {
  double read = 0.0, written = 0.0;
  for (const TensorId tensor : graph.distinct_inputs(op)) read = std::max(read, elements(graph, tensor));
  for (const TensorId tensor : graph.outputs(op)) written = std::max(written, elements(graph, tensor));
  return read >= kSignificantReduction * written;
}

FusionKind kind_of(const Graph& graph, OpId op) {
  if (graph.role(op) == Role::kView) return FusionKind::kPlain;
  if (graph.role(op) != Role::kCompute || graph.updated_parameter(op) != kNoOp) return FusionKind::kNever;
  switch (class_of(graph, op)) {
    case CostClass::kElementwise:
    case CostClass::kCopy:
    case CostClass::kFill:
    case CostClass::kGather:
    case CostClass::kLossGrad:
    case CostClass::kBatchNormInference:
    case CostClass::kNothing:
      return FusionKind::kPlain;
    case CostClass::kReduction:
      return reduces_much(graph, op) ? FusionKind::kReducing : FusionKind::kPlain;
    case CostClass::kSoftmax:
    case CostClass::kSoftmaxGrad:
    case CostClass::kLayerNorm:
    case CostClass::kLayerNormGrad:
      return FusionKind::kReducing;
    default:
      return FusionKind::kNever;
  }
}

}  // namespace

FusionRules::FusionRules(const Graph& graph) : graph_(graph), position_(graph.num_ops()) {
  kinds_.reserve(graph.num_ops());
  for (const OpId op : graph.ops()) kinds_.push_back(kind_of(graph, op));
  std::uint32_t next = 0;
  for (const OpId op : graph.topological_order()) position_[index(op)] = next++;
}

bool FusionRules::allow(std::span<const OpId> members) const {
  if (members.size() > kMostFusedOps) return false;
  if (!std::ranges::all_of(members, [&](OpId op) { return may_fuse(op); })) return false;
  return has_few_inputs(members) && !chains_reductions(members);
}

bool FusionRules::has_few_inputs(std::span<const OpId> members) const {
  std::size_t most = 0;
  for (const OpId op : members) most += graph_.distinct_inputs(op).size();
  if (most <= kMostFusedInputs) return true;  // even if all are from outside
  std::vector<OpId> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  std::vector<TensorId> outside;
  for (const OpId op : members) {
    for (const TensorId tensor : graph_.distinct_inputs(op)) {
      if (!std::ranges::binary_search(sorted, graph_.producer(tensor))) outside.push_back(tensor);
    }
  }
  std::ranges::sort(outside);
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  return outside.size() <= kMostFusedInputs;
}

bool FusionRules::chains_reductions(std::span<const OpId> members) const {
  const auto reduces = [&](OpId op) { return kind(op) == FusionKind::kReducing; };
  if (std::ranges::count_if(members, reduces) < 2) return false;
  std::vector<OpId> order(members.begin(), members.end());
  std::ranges::sort(order, {}, [&](OpId op) { return position_[index(op)]; });
  std::vector<OpId> reduced;  // members that depend on a reduction, or are one
  for (const OpId op : order) {
    const bool depends = std::ranges::any_of(graph_.distinct_inputs(op), [&](TensorId tensor) {
      return std::ranges::find(reduced, graph_.producer(tensor)) != reduced.end();
    });
    if (depends && reduces(op)) return true;
    if (depends || reduces(op)) reduced.push_back(op);
  }
  return false;
}

}  // namespace berth
