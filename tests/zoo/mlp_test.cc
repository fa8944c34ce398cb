// SPDX-License-Identifier: Apache-2.0
// Training steps small enough to be read op by op.
#include <gtest/gtest.h>

#include "graph_text.h"
#include "zoo/autodiff.h"

namespace berth {
namespace {

Graph finish(ModelBuilder builder, Optimizer optimizer = Optimizer::kSgd) {
  if (builder.training()) add_training_step(builder, optimizer);
  Result<Graph> graph = std::move(builder).finish();
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  return std::move(graph).value();
}

// Two linear layers with a relu between; the loss is the mean of the output.
ModelBuilder two_layers(bool training) {
  ModelBuilder b("mlp", DType::kF32, training);
  const Tensor x = b.input("x", DType::kF32, {4, 8});
  const Tensor hidden = b.relu(b.linear("fc1", x, 16));
  const Tensor y = b.linear("fc2", hidden, 2);
  training ? b.set_loss(b.reduce_mean(y, {})) : b.mark_output(y);
  return b;
}

TEST(Mlp, Inference) {
  EXPECT_EQ(graph_text(finish(two_layers(false))),
            "x = input() [4,8]\n"
            "fc1.weight = parameter() [8,16]\n"
            "fc1/matmul = matmul(x, fc1.weight) [4,16] flops=1024\n"
            "fc1.bias = parameter() [16]\n"
            "fc1/bias_add = bias_add(fc1/matmul, fc1.bias) [4,16]\n"
            "relu = relu(fc1/bias_add) [4,16]\n"
            "fc2.weight = parameter() [16,2]\n"
            "fc2/matmul = matmul(relu, fc2.weight) [4,2] flops=256\n"
            "fc2.bias = parameter() [2]\n"
            "fc2/bias_add = bias_add(fc2/matmul, fc2.bias) [4,2]\n");
}

TEST(Mlp, TrainingStep) {
  const std::string text = graph_text(finish(two_layers(true)));
  EXPECT_EQ(text.substr(text.find("reduce_mean =")),
            "reduce_mean = reduce_mean(fc2/bias_add) []\n"
            "ones = ones(reduce_mean) [] of=reduce_mean\n"
            "broadcast = broadcast(ones) [4,2] of=reduce_mean\n"
            // fc2: the bias sums over the batch, the product gives two products and needs no more of its output.
            "fc2/reduce_sum = reduce_sum(broadcast) [2] of=fc2/bias_add\n"
            "fc2/transpose = transpose(fc2.weight) [2,16] of=fc2/matmul\n"
            "fc2/matmul_1 = matmul(broadcast, fc2/transpose) [4,16] flops=256 of=fc2/matmul\n"
            "fc2/transpose_1 = transpose(relu) [16,4] of=fc2/matmul\n"
            "fc2/matmul_2 = matmul(fc2/transpose_1, broadcast) [16,2] flops=256 of=fc2/matmul\n"
            // relu reads its output, not its input.
            "relu_grad = relu_grad(fc2/matmul_1, relu) [4,16] of=relu\n"
            // fc1: no gradient for the input of the model.
            "fc1/reduce_sum = reduce_sum(relu_grad) [16] of=fc1/bias_add\n"
            "fc1/transpose = transpose(x) [8,4] of=fc1/matmul\n"
            "fc1/matmul_1 = matmul(fc1/transpose, relu_grad) [8,16] flops=1024 of=fc1/matmul\n"
            "fc1/sgd_update = sgd_update(fc1.weight, fc1/matmul_1) updates=fc1.weight\n"
            "fc1/sgd_update_1 = sgd_update(fc1.bias, fc1/reduce_sum) updates=fc1.bias\n"
            "fc2/sgd_update = sgd_update(fc2.weight, fc2/matmul_2) updates=fc2.weight\n"
            "fc2/sgd_update_1 = sgd_update(fc2.bias, fc2/reduce_sum) updates=fc2.bias\n");
}

TEST(Mlp, SharedWeightsAndTensorsAccumulate) {
  ModelBuilder b("shared", DType::kF32, true);
  const Tensor w = b.parameter("w", {3, 3});
  const Tensor x = b.input("x", DType::kF32, {2, 3});
  const Tensor y = b.matmul(b.matmul(x, w), w);
  b.set_loss(b.reduce_sum(b.mul(y, y), {}));
  const std::string text = graph_text(finish(std::move(b)));
  EXPECT_EQ(text.substr(text.find("broadcast =")),
            "broadcast = broadcast(ones) [2,3] of=reduce_sum\n"
            "mul_1 = mul(broadcast, matmul_1) [2,3] of=mul\n"
            "mul_2 = mul(broadcast, matmul_1) [2,3] of=mul\n"
            "grad_add = grad_add(mul_1, mul_2) [2,3] of=matmul_1\n"
            "transpose = transpose(w) [3,3] of=matmul_1\n"
            "matmul_2 = matmul(grad_add, transpose) [2,3] flops=36 of=matmul_1\n"
            "transpose_1 = transpose(matmul) [3,2] of=matmul_1\n"
            "matmul_3 = matmul(transpose_1, grad_add) [3,3] flops=36 of=matmul_1\n"
            "transpose_2 = transpose(x) [3,2] of=matmul\n"
            "matmul_4 = matmul(transpose_2, matmul_2) [3,3] flops=36 of=matmul\n"
            "grad_add_1 = grad_add(matmul_3, matmul_4) [3,3] of=w\n"
            "sgd_update = sgd_update(w, grad_add_1) updates=w\n");
}

TEST(Mlp, UpdatesAreColocatedAndWaitForTheLastRead) {
  const Graph graph = finish(two_layers(true), Optimizer::kAdam);
  EXPECT_EQ(graph.optimizer(), Optimizer::kAdam);
  int updates = 0;
  for (const OpId op : graph.ops()) {
    const OpId parameter = graph.updated_parameter(op);
    if (parameter == kNoOp) continue;
    ++updates;
    EXPECT_EQ(graph.type(op), "adam_update");
    EXPECT_EQ(graph.outputs(op).size(), 0U);
    EXPECT_GE(graph.colocation_group(op), 0);
    EXPECT_EQ(graph.colocation_group(op), graph.colocation_group(parameter));
    EXPECT_EQ(graph.bytes_touched(op), 7 * graph.bytes(graph.outputs(parameter)[0]));
  }
  EXPECT_EQ(updates, 4);
}

// One step of one LSTM cell with split gates: 8 products, 4 biases, 4 sums, 5 activations, 3 products and a sum of
// states.
TEST(Lstm, OneCellOpByOp) {
  const Graph graph = must_build("rnnlm,layers=1,unroll=1,batch=2,hidden=4,vocab=5,mode=infer");
  std::string cell;
  for (const OpId op : graph.ops()) {
    if (graph.module(op) == "lstm.layer.0.t0") cell += graph.type(op) + " ";
  }
  std::string gate = "matmul bias_add matmul add ";
  EXPECT_EQ(cell, gate + gate + gate + gate + "sigmoid sigmoid tanh sigmoid mul mul add tanh mul ");
}

}  // namespace
}  // namespace berth
