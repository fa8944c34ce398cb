// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that reduce axes, normalise, or end in a loss.
#include "model/shapes/onnx/rules.h"

#include <string>

#include "model/shapes/arrange.h"

namespace berth {
namespace {

// Statistics of the stretch from `axis` on: one number for each.
Shape statistics_of(Shape shape, std::int64_t axis) {
  const auto from = axis_of(axis, shape.size());
  for (std::size_t i = from.value_or(shape.size()); i < shape.size(); ++i) shape[i] = known_dim(1);
  return shape;
}

Outputs infer_reduce(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto* axes = node.numbers("axes", 1);
  const bool keep = node.integer("keepdims", 1) != 0;
  if (shape == nullptr) return one(node.dtype(0), std::nullopt);
  if (axes == nullptr && node.has(1))
    return one(node.dtype(0), keep ? std::optional(all_unknown(shape->size())) : std::nullopt);
  const bool none_means_none = node.integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> marked(shape->size(), (axes == nullptr || axes->empty()) && !none_means_none);
  for (std::size_t i = 0; axes != nullptr && i < axes->size(); ++i) {
    if (const auto axis = axis_of((*axes)[i], shape->size())) marked[*axis] = true;
  }
  return one(node.dtype(0), reduced(*shape, marked, keep));
}

// To one number.
Outputs infer_reduce_all(const NodeView& node) { return one(node.dtype(0), Shape{}); }

// Of matrices in the last two axes.
Outputs infer_determinant(const NodeView& node) {
  auto shape = copy_of(node.shape(0));
  if (!shape || shape->size() < 2) return one(node.dtype(0), std::nullopt);
  shape->resize(shape->size() - 2);
  return one(node.dtype(0), std::move(shape));
}

Outputs infer_arg_reduce(const NodeView& node) {
  const Shape* shape = node.shape(0);
  const auto axis = shape != nullptr ? axis_of(node.integer("axis", 0), shape->size()) : std::nullopt;
  if (!axis) return one(DType::kI64, std::nullopt);
  std::vector<bool> marked(shape->size(), false);
  marked[*axis] = true;
  return one(DType::kI64, reduced(*shape, marked, node.integer("keepdims", 1) != 0));
}

// Output like the input; then mean and deviation.
Outputs infer_layer_norm(const NodeView& node) {
  Outputs outputs = one(node.dtype(0), copy_of(node.shape(0)));
  if (node.shape(0) == nullptr) return outputs;
  const Shape rows = statistics_of(*node.shape(0), node.integer("axis", -1));
  while (outputs.size() < node.num_outputs()) outputs.push_back({DType::kF32, rows});
  return outputs;
}

// Gradient of the output, input, scale, ...: gradients of the input, the scale and the bias.
Outputs infer_layer_norm_grad(const NodeView& node) {
  const Inferred scale{node.dtype(2), copy_of(node.shape(2))};
  return {{node.dtype(1), copy_of(node.shape(1))}, scale, scale};
}

// The fourth output is the sum that was normalised.
Outputs infer_skip_layer_norm(const NodeView& node) {
  Outputs outputs = infer_layer_norm(node);
  if (outputs.size() > 3) outputs[3] = outputs[0];
  return outputs;
}

// Indices [batch, length], segments, and three tables of rows [?, width].
Outputs infer_embed_layer_norm(const NodeView& node) {
  const Shape *indices = node.shape(0), *table = node.shape(2);
  std::optional<Shape> rows, mask;
  if (indices != nullptr && !indices->empty()) mask = Shape{indices->front()};
  if (indices != nullptr && table != nullptr && table->size() == 2) {
    rows = *indices;
    rows->push_back(table->back());
  }
  return {{node.dtype(2), rows}, {DType::kI32, mask}, {node.dtype(2), rows}};
}

// In training also the statistics of the batch, one number per channel.
Outputs infer_batch_norm(const NodeView& node) {
  Outputs outputs = one(node.dtype(0), copy_of(node.shape(0)));
  while (outputs.size() < node.num_outputs()) outputs.push_back({node.dtype(1), copy_of(node.shape(1))});
  return outputs;
}

// Scores and labels; the loss, and the logarithms of the probabilities.
Outputs infer_loss(const NodeView& node) {
  const auto* reduction = node.node().find<std::string>("reduction");
  const bool per_label = reduction != nullptr && *reduction == "none";
  return {{node.dtype(0), per_label ? copy_of(node.shape(1)) : Shape{}}, {node.dtype(0), copy_of(node.shape(0))}};
}

constexpr RuleRow kNormsRules[] = {
    {"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
     "ReduceSumSquare",
     infer_reduce},
    {"com.microsoft: QLinearReduceMean ReduceSumTraining", infer_reduce},
    {"com.microsoft: ReduceAllL2", infer_reduce_all},
    {"Det", infer_determinant},
    {"ArgMax ArgMin", infer_arg_reduce},
    {"LayerNormalization SimplifiedLayerNormalization RMSNormalization", infer_layer_norm},
    {"com.microsoft: LayerNormalizationGrad SimplifiedLayerNormalizationGrad InvertibleLayerNormalizationGrad "
     "BatchNormalizationGrad",
     infer_layer_norm_grad},
    {"com.microsoft: SkipLayerNormalization SkipSimplifiedLayerNormalization", infer_skip_layer_norm},
    {"com.microsoft: EmbedLayerNormalization", infer_embed_layer_norm},
    {"BatchNormalization", infer_batch_norm},
    {"com.microsoft: BatchNormInternal", infer_batch_norm},
    {"SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss", infer_loss},
    {"com.microsoft: SoftmaxCrossEntropyLossInternal SoftmaxCrossEntropy", infer_loss},
};

}  // namespace

std::span<const RuleRow> norms_rules() { return kNormsRules; }

}  // namespace berth
