// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX operators that multiply matrices.
#include "model/shapes/onnx/rules.h"

#include <algorithm>
#include <map>
#include <string>

#include "model/shapes/dims.h"

namespace berth {
namespace {

std::optional<Shape> product_shape(Shape a, Shape b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), known_dim(1));
  if (column) b.push_back(known_dim(1));
  const Dim rows = a[a.size() - 2], columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape result = broadcast(a, b);
  if (!row) result.push_back(rows);
  if (!column) result.push_back(columns);
  return result;
}

// With `batch`, the first axis stands behind the axes of the batch: [rows, batch..., columns] is read as [batch...,
// rows, columns]; then the last two change places.
Shape transposed(Shape shape, bool batch, bool last_two) {
  if (batch && shape.size() > 2) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  if (last_two && shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

std::optional<Shape> product_of_inputs(const NodeView& node, std::size_t first, std::size_t second) {
  if (node.shape(first) == nullptr || node.shape(second) == nullptr) return std::nullopt;
  const auto is_set = [&](std::string_view attribute) { return node.integer(attribute, 0) != 0; };
  return product_shape(transposed(*node.shape(first), is_set("transBatchA"), is_set("transA")),
                       transposed(*node.shape(second), is_set("transBatchB"), is_set("transB")));
}

// "bij,bjk->bik" taken apart: labels of every input, and of the output if they are stated.
struct Equation {
  std::vector<std::string> inputs = {""};
  std::optional<std::string> output = {};
};

std::optional<Equation> parse_equation(const std::string& text) {
  Equation equation;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') return std::nullopt;  // an ellipsis
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      equation.output = "";
      ++i;
    } else if (c == ',' && !equation.output) {
      equation.inputs.emplace_back();
    } else {
      (equation.output ? *equation.output : equation.inputs.back()) += c;
    }
  }
  return equation;
}

// Without a stated output it has the labels that occur once, in their order.
std::string output_labels(const Equation& equation) {
  if (equation.output) return *equation.output;
  std::map<char, int> count;
  for (const std::string& labels : equation.inputs) {
    for (const char label : labels) ++count[label];
  }
  std::string once;
  for (const auto& [label, times] : count) {
    if (times == 1) once += label;
  }
  return once;
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
  const auto* text = node.node().find<std::string>("equation");
  const auto equation = text != nullptr ? parse_equation(*text) : std::nullopt;
  if (!equation || equation->inputs.size() != node.num_inputs()) return one(node.dtype(0), std::nullopt);
  std::map<char, Dim> size_of;
  for (std::size_t input = 0; input < equation->inputs.size(); ++input) {
    const std::string& labels = equation->inputs[input];
    const Shape* shape = node.shape(input);
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      Dim& known = size_of[labels[axis]];
      if (shape != nullptr && shape->size() == labels.size() && !known.known()) known = (*shape)[axis];
    }
  }
  Shape result;
  for (const char label : output_labels(*equation)) {
    const auto found = size_of.find(label);
    if (found == size_of.end()) return one(node.dtype(0), std::nullopt);
    result.push_back(found->second);
  }
  return one(node.dtype(0), result);
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
