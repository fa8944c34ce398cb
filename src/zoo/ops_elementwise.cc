// SPDX-License-Identifier: Apache-2.0
// Ops that work element by element.
#include "zoo/model_builder.h"

namespace berth {
namespace {

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (int i = 1; i <= from.rank(); ++i) {
    if (from[-i] != 1 && from[-i] != to[-i]) return false;
  }
  return true;
}

}  // namespace

Tensor ModelBuilder::broadcasting(OpKind kind, Tensor a, Tensor b) {
  BERTH_CHECK(broadcasts_to(shape(b), shape(a)));
  return op(kind, {a, b}, type(a));
}

Tensor ModelBuilder::add(Tensor a, Tensor b) { return broadcasting(OpKind::kAdd, a, b); }
Tensor ModelBuilder::mul(Tensor a, Tensor b) { return broadcasting(OpKind::kMul, a, b); }

Tensor ModelBuilder::scale(Tensor x, double factor) { return op(OpKind::kScale, {x}, type(x), {.factor = factor}); }

Tensor ModelBuilder::bias_add(Tensor x, Tensor bias, int axis) {
  BERTH_CHECK(shape(bias).rank() == 1 && shape(bias)[0] == shape(x)[axis]);
  return op(OpKind::kBiasAdd, {x, bias}, type(x), {.axis = axis});
}

Tensor ModelBuilder::select(Tensor mask, Tensor a, Tensor b) {
  BERTH_CHECK(shape(a) == shape(b) && broadcasts_to(shape(mask), shape(a)));
  return op(OpKind::kSelect, {mask, a, b}, type(a));
}

Tensor ModelBuilder::dropout(Tensor x, double rate) {
  if (!training() || rate <= 0.0) return x;
  return op(OpKind::kDropout, {x}, {type(x), {DType::kBool, shape(x)}});  // and which elements were kept
}

Tensor ModelBuilder::grad_add(Tensor a, Tensor b) {
  BERTH_CHECK(shape(a) == shape(b));
  return op(OpKind::kGradAdd, {a, b}, type(a));
}

Tensor ModelBuilder::unary(OpKind kind, Tensor x) { return op(kind, {x}, type(x)); }

Tensor ModelBuilder::elementwise_grad(OpKind kind, Tensor gradient, Tensor saved) {
  BERTH_CHECK(shape(gradient) == shape(saved));
  return op(kind, {gradient, saved}, type(gradient));
}

Tensor ModelBuilder::broadcast(Tensor x, Shape to, double factor) {
  BERTH_CHECK(broadcasts_to(shape(x), to));
  return op(OpKind::kBroadcast, {x}, {dtype(x), to}, {.factor = factor});
}

Tensor ModelBuilder::reduce_sum(Tensor x, Shape to) {
  BERTH_CHECK(broadcasts_to(to, shape(x)) || to.elements() == 1);
  return op(OpKind::kReduceSum, {x}, {dtype(x), to});
}

Tensor ModelBuilder::reduce_mean(Tensor x, Shape to) {
  BERTH_CHECK(broadcasts_to(to, shape(x)) || to.elements() == 1);
  return op(OpKind::kReduceMean, {x}, {dtype(x), to});
}

}  // namespace berth
