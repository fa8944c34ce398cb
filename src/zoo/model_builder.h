// SPDX-License-Identifier: Apache-2.0
// ModelBuilder: the vocabulary models are written in, at the grain of a framework's graph. Each method adds one op
// unless it says otherwise; the gradient rules of zoo/autodiff.cc use the same vocabulary. Shapes that do not fit are
// our own mistakes and end in BERTH_CHECK: whatever a user can choose is checked before a model is written down.
//
// The order of evaluation of function arguments is the compiler's: an expression must not have two arguments that add
// ops, or the graph would differ from compiler to compiler.
//
// Flops count matrix products and convolutions only, 2 per multiply-add.
//
// Methods are implemented by kind of op, in ops_*.cc.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "zoo/program.h"

namespace berth {

class ModelBuilder : public Program {
 public:
  using Program::Program;

  // Views: no time, no storage.
  Tensor reshape(Tensor x, Shape shape);  // copies first (contiguous) where the layout demands it; nothing if equal
  Tensor transpose(Tensor x, std::initializer_list<int> permutation);
  Tensor transpose_last_two(Tensor x);
  std::vector<Tensor> split(Tensor x, int axis, int parts);                            // equal parts, one op
  std::vector<Tensor> split(Tensor x, int axis, std::span<const std::int64_t> sizes);  // one op
  std::vector<Tensor> unstack(Tensor x);  // along the first axis, which the parts lose; one op
  Tensor slice(Tensor x, int axis, std::int64_t start, std::int64_t size);

  // Matrix products.
  Tensor matmul(Tensor a, Tensor b);        // [m,k] x [k,n]
  Tensor batch_matmul(Tensor a, Tensor b);  // [g,m,k] x [g,k,n]
  Tensor project(Tensor x, Tensor weight);  // [...,k] x [k,n]: a matmul between two reshapes (none for rank 2)
  Tensor linear(std::string_view name, Tensor x, std::int64_t outputs,
                bool bias = true);  // new parameters, project, bias_add

  // Convolutions and pools over [n,c,h,w]; conv1d is causal over [n,c,length] and keeps the length.
  Tensor conv2d(Tensor x, Tensor weight, const Window& window);
  Tensor conv2d_grad_input(Tensor gradient, Tensor weight, const TensorType& x);
  Tensor conv2d_grad_weight(Tensor gradient, Tensor x, const TensorType& weight);
  Tensor conv1d(Tensor x, Tensor weight, std::int64_t dilation);
  Tensor conv1d_grad_input(Tensor gradient, Tensor weight, const TensorType& x);
  Tensor conv1d_grad_weight(Tensor gradient, Tensor x, const TensorType& weight);
  Tensor max_pool(Tensor x, const Window& window);
  Tensor avg_pool(Tensor x, const Window& window);

  // Element by element.
  Tensor add(Tensor a, Tensor b);  // b may have fewer dimensions or ones: it is broadcast
  Tensor mul(Tensor a, Tensor b);  // likewise
  Tensor scale(Tensor x, double factor);
  Tensor neg(Tensor x) { return unary(OpKind::kNeg, x); }
  Tensor bias_add(Tensor x, Tensor bias, int axis = -1);  // bias along one axis
  Tensor select(Tensor mask, Tensor a, Tensor b);         // a where the mask (broadcast) is set, else b
  Tensor sigmoid(Tensor x) { return unary(OpKind::kSigmoid, x); }
  Tensor tanh(Tensor x) { return unary(OpKind::kTanh, x); }
  Tensor relu(Tensor x) { return unary(OpKind::kRelu, x); }
  Tensor gelu(Tensor x) { return unary(OpKind::kGelu, x); }
  Tensor silu(Tensor x) { return unary(OpKind::kSilu, x); }
  Tensor dropout(Tensor x, double rate);  // x itself when not training or when the rate is 0
  Tensor grad_add(Tensor a, Tensor b);
  Tensor unary(OpKind kind, Tensor x);
  // Gradient of an op that keeps its shape: reads the gradient of its output and what it saved.
  Tensor elementwise_grad(OpKind kind, Tensor gradient, Tensor saved);

  // Along the last axis, unless said otherwise.
  Tensor softmax(Tensor x) { return unary(OpKind::kSoftmax, x); }
  Tensor log_softmax(Tensor x) { return unary(OpKind::kLogSoftmax, x); }
  Tensor nll_loss(Tensor log_probabilities, Tensor labels);  // [rows,classes], [rows] -> [rows]
  Tensor cross_entropy(Tensor logits, Tensor labels);        // log_softmax, nll_loss, reduce_mean: a scalar
  Tensor layer_norm(Tensor x, Tensor weight, Tensor bias);
  Tensor rms_norm(Tensor x, Tensor weight);
  Tensor batch_norm(Tensor x, Tensor weight, Tensor bias, Tensor running_mean, Tensor running_var);  // over axis 1
  Tensor reduce_sum(Tensor x, Shape to);   // sums what `to` lacks; a shape that broadcasts to x's
  Tensor reduce_mean(Tensor x, Shape to);  // likewise
  Tensor argmax(Tensor x);
  Tensor broadcast(Tensor x, Shape to, double factor = 1.0);

  // Rows of tables, joins, copies.
  Tensor embedding(Tensor table, Tensor ids);
  Tensor embedding_grad(Tensor gradient, Tensor ids, const TensorType& table);
  Tensor concat(std::span<const Tensor> parts, int axis);
  Tensor concat(std::initializer_list<Tensor> parts, int axis) {
    return concat(std::span(parts.begin(), parts.size()), axis);
  }
  Tensor stack(std::span<const Tensor> parts);  // along a new first axis
  Tensor contiguous(Tensor x);                  // a copy
  Tensor slice_grad(Tensor gradient, const TensorType& x);
  Tensor zeros(const TensorType& type);
  Tensor ones_like(Tensor x);

  // Mixture of experts: tokens [t,h], experts e, capacity c tokens each, k experts a token.
  struct Gates {
    Tensor weights, experts;  // [t,k] each
  };
  Gates topk(Tensor probabilities, std::int64_t k);
  Tensor moe_dispatch(Tensor tokens, Tensor experts, std::int64_t num_experts, std::int64_t capacity);  // -> [e,c,h]
  Tensor moe_combine(Tensor expert_outputs, const Gates& gates);                                        // -> [t,h]

  // One op with one output and nothing special, for the gradient rules.
  Tensor op(OpKind kind, std::initializer_list<Tensor> inputs, const TensorType& output,
            const Attributes& attributes = {});
  // One op with several outputs: the first; the others have the ids that follow.
  Tensor op(OpKind kind, std::initializer_list<Tensor> inputs, std::initializer_list<TensorType> outputs);

 private:
  Tensor view(OpKind kind, Tensor x, const TensorType& output, Layout layout, const Attributes& attributes = {});
  Tensor broadcasting(OpKind kind, Tensor a, Tensor b);
};

// Output i of the op whose first output is `first`.
inline Tensor output(Tensor first, std::uint32_t i) { return {first.id + i}; }

}  // namespace berth
