// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that multiply matrices.
#include "model/shapes/onnx/rules.h"

#include <algorithm>

#include "model/shapes/arrange.h"

namespace berth {
namespace {

// With `batch`, the first axis stands behind the axes of the batch: [rows, batch..., columns] is read as [batch...,
// rows, columns]; then the last two change places.
Shape transposed(Shape shape, bool batch, bool last_two) {
  if (batch && shape.size() > 2) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  return last_two ? with_last_two_swapped(std::move(shape)) : shape;
}

std::optional<Shape> product_of_inputs(const NodeView& node, std::size_t first, std::size_t second) {
  if (node.shape(first) == nullptr || node.shape(second) == nullptr) return std::nullopt;
  return matrix_product(transposed(*node.shape(first), node.is_set("transBatchA"), node.is_set("transA")),
                        transposed(*node.shape(second), node.is_set("transBatchB"), node.is_set("transB")));
}

// MatMul, Gemm and fused forms with their transpositions.
Outputs infer_matmul(const NodeView& node) { return one(node.dtype(0), product_of_inputs(node, 0, 1)); }

// Of 8-bit numbers, into 32 bits.
Outputs infer_integer_matmul(const NodeView& node) { return one(DType::kI32, product_of_inputs(node, 0, 1)); }

// QLinearMatMul has the zero of the result as input 7, QGemm, which may end in numbers with a point, as 8.
Outputs infer_quantized_matmul(const NodeView& node) {
  const std::size_t zero = node.type() == "QLinearMatMul" ? 7 : 8;
  return one(node.has(zero) ? node.dtype(zero) : DType::kF32, product_of_inputs(node, 0, 3));
}

Outputs infer_dequantized_matmul(const NodeView& node) { return one(DType::kF32, product_of_inputs(node, 0, 1)); }

// The weight is packed; attributes say its sizes.
Outputs infer_matmul_nbits(const NodeView& node) {
  auto shape = copy_of(node.shape(0));
  if (shape && shape->empty()) shape.reset();
  if (shape) shape->back() = known_dim(node.integer("N", -1));
  return one(node.dtype(0), std::move(shape));
}

Outputs infer_einsum(const NodeView& node) {
  ShapeList inputs;
  for (std::size_t i = 0; i < node.num_inputs(); ++i) inputs.push_back(node.shape(i));
  return one(node.dtype(0), einsum_shape(node.text("equation"), inputs));
}

constexpr RuleRow kProductsRules[] = {
    {"MatMul Gemm FusedMatMul", infer_matmul},
    {"com.microsoft: FusedMatMul FusedMatMulActivation TransposeMatMul FusedGemm GemmFastGelu GemmFloat8",
     infer_matmul},
    {"MatMulInteger", infer_integer_matmul},
    {"com.microsoft: MatMulInteger16", infer_integer_matmul},
    {"QLinearMatMul", infer_quantized_matmul},
    {"com.microsoft: QGemm", infer_quantized_matmul},
    {"com.microsoft: DynamicQuantizeMatMul MatMulIntegerToFloat", infer_dequantized_matmul},
    {"com.microsoft: MatMulNBits MatMulBnb4", infer_matmul_nbits},
    {"Einsum", infer_einsum},
};

}  // namespace

std::span<const RuleRow> products_rules() { return kProductsRules; }

}  // namespace berth
