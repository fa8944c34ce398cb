// SPDX-License-Identifier: Apache-2.0
// Matrix products, convolutions and pools.
#include <fmt/format.h>

#include "zoo/model_builder.h"

namespace berth {
namespace {

std::int64_t slid(std::int64_t size, const Window& window, std::size_t i) {
  const std::int64_t reach = size + 2 * window.pad[i] - window.kernel[i];
  BERTH_CHECK(reach >= 0);
  return reach / window.stride[i] + 1;
}

Shape slid_over(const Shape& x, std::int64_t channels, const Window& window) {
  return {x[0], channels, slid(x[2], window, 0), slid(x[3], window, 1)};
}

}  // namespace

Tensor ModelBuilder::matmul(Tensor a, Tensor b) {
  const Shape& left = shape(a);
  const Shape& right = shape(b);
  BERTH_CHECK(left.rank() == 2 && right.rank() == 2 && left[1] == right[0]);
  const TensorType product{dtype(a), {left[0], right[1]}};
  const std::array inputs{a, b};
  return emit({.kind = OpKind::kMatmul, .inputs = inputs, .outputs = {&product, 1}});
}

Tensor ModelBuilder::batch_matmul(Tensor a, Tensor b) {
  const Shape& left = shape(a);
  const Shape& right = shape(b);
  BERTH_CHECK(left.rank() == 3 && right.rank() == 3 && left[0] == right[0] && left[2] == right[1]);
  const TensorType product{dtype(a), {left[0], left[1], right[2]}};
  const std::array inputs{a, b};
  return emit({.kind = OpKind::kBatchMatmul, .inputs = inputs, .outputs = {&product, 1}});
}

Tensor ModelBuilder::project(Tensor x, Tensor weight) {
  if (shape(x).rank() == 2) return matmul(x, weight);
  const Shape outer = shape(x);
  const Tensor rows = reshape(x, {outer.elements() / outer[-1], outer[-1]});
  return reshape(matmul(rows, weight), outer.with(-1, shape(weight)[1]));
}

Tensor ModelBuilder::linear(std::string_view name, Tensor x, std::int64_t outputs, bool bias) {
  const Scope inner = scope(name);
  const Tensor product = project(x, parameter("weight", {shape(x)[-1], outputs}));
  return bias ? bias_add(product, parameter("bias", {outputs})) : product;
}

Tensor ModelBuilder::conv2d(Tensor x, Tensor weight, const Window& window) {
  BERTH_CHECK(shape(x).rank() == 4 && shape(weight).rank() == 4);
  BERTH_CHECK(shape(x)[1] == shape(weight)[1] * window.groups);
  const TensorType y{dtype(x), slid_over(shape(x), shape(weight)[0], window)};
  const std::array inputs{x, weight};
  return emit({.kind = OpKind::kConv2d, .inputs = inputs, .outputs = {&y, 1}, .attributes = {.window = window}});
}

Tensor ModelBuilder::conv2d_grad_input(Tensor gradient, Tensor weight, const TensorType& x) {
  const std::array inputs{gradient, weight};
  return emit({.kind = OpKind::kConv2dGradInput, .inputs = inputs, .outputs = {&x, 1}});
}

Tensor ModelBuilder::conv2d_grad_weight(Tensor gradient, Tensor x, const TensorType& weight) {
  const std::array inputs{gradient, x};
  return emit({.kind = OpKind::kConv2dGradWeight, .inputs = inputs, .outputs = {&weight, 1}});
}

Tensor ModelBuilder::conv1d(Tensor x, Tensor weight, std::int64_t dilation) {
  BERTH_CHECK(shape(x).rank() == 3 && shape(weight).rank() == 3 && shape(x)[1] == shape(weight)[1]);
  const TensorType y{dtype(x), {shape(x)[0], shape(weight)[0], shape(x)[2]}};
  const std::array inputs{x, weight};
  return emit({.kind = OpKind::kConv1d,
               .inputs = inputs,
               .outputs = {&y, 1},
               .attributes = {.window = {.dilation = dilation}}});
}

Tensor ModelBuilder::conv1d_grad_input(Tensor gradient, Tensor weight, const TensorType& x) {
  const std::array inputs{gradient, weight};
  return emit({.kind = OpKind::kConv1dGradInput, .inputs = inputs, .outputs = {&x, 1}});
}

Tensor ModelBuilder::conv1d_grad_weight(Tensor gradient, Tensor x, const TensorType& weight) {
  const std::array inputs{gradient, x};
  return emit({.kind = OpKind::kConv1dGradWeight, .inputs = inputs, .outputs = {&weight, 1}});
}

Tensor ModelBuilder::max_pool(Tensor x, const Window& window) {
  const Shape to = slid_over(shape(x), shape(x)[1], window);
  if (!training()) return op(OpKind::kMaxPool, {x}, {dtype(x), to});
  return op(OpKind::kMaxPool, {x}, {{dtype(x), to}, {DType::kI32, to}});  // and where each maximum was
}

Tensor ModelBuilder::avg_pool(Tensor x, const Window& window) {
  return op(OpKind::kAvgPool, {x}, {dtype(x), slid_over(shape(x), shape(x)[1], window)});
}

}  // namespace berth
