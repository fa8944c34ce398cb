// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/tensor_shapes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace berth {
namespace {

// The three tensors of a convolution y = x * w; in a gradient op any of them stands for its gradient.
struct Operands {
  TensorId x, weight, y;
};

bool is_spatial(const Graph& graph, TensorId tensor) { return graph.shape(tensor).size() >= 3; }

bool makes_weight_gradient(std::string_view type) {
  return type.find("eight") != std::string_view::npos || type.find("ilter") != std::string_view::npos;
}

std::optional<Operands> find_operands(const Graph& graph, OpId op, bool gradient) {
  std::vector<TensorId> in, out;
  for (const TensorId tensor : graph.inputs(op)) {
    if (is_spatial(graph, tensor)) in.push_back(tensor);
  }
  for (const TensorId tensor : graph.outputs(op)) {
    if (is_spatial(graph, tensor)) out.push_back(tensor);
  }
  if (in.size() < 2 || out.empty()) return std::nullopt;
  if (!gradient) return Operands{.x = in[0], .weight = in[1], .y = out[0]};
  if (in.size() >= 3) return Operands{.x = in[1], .weight = in[2], .y = in[0]};
  if (makes_weight_gradient(graph.type(op))) return Operands{.x = in[1], .weight = out[0], .y = in[0]};
  // Gradient of the input: the incoming gradient shares the batch, the first dimension, with what is made.
  const bool weight_first = graph.shape(in[0])[0] != graph.shape(out[0])[0];
  return Operands{.x = out[0], .weight = in[weight_first ? 0 : 1], .y = in[weight_first ? 1 : 0]};
}

}  // namespace

ConvShape conv_shape(const Graph& graph, OpId op, bool gradient) {
  ConvShape shape;
  const std::optional<Operands> operands = find_operands(graph, op, gradient);
  if (!operands) return shape;
  const auto weight = graph.shape(operands->weight);
  // A pointwise weight has two dimensions above one, its channels, wherever the layout puts them.
  shape.windowed = std::count_if(weight.begin(), weight.end(), [](std::int64_t dim) { return dim > 1; }) > 2;
  const auto outputs = graph.outputs(op);
  if (gradient) {
    shape.products = std::max(1, static_cast<int>(std::count_if(outputs.begin(), outputs.end(), [&](TensorId tensor) {
                                return is_spatial(graph, tensor) && graph.bytes(tensor) > 0;
                              })));
  }
  const double flops = graph.flops(op) / shape.products;
  if (flops > 0.0) {
    // flops = 2 |y| c_in window and |w| = c_out c_in window, so 2 |y| |w| / flops = c_out; with |x| likewise c_in
    // stride^2.
    const double narrower = std::min(elements(graph, operands->x), elements(graph, operands->y));
    shape.channels = 2.0 * narrower * elements(graph, operands->weight) / flops;
  }
  return shape;
}

}  // namespace berth
