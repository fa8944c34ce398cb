// SPDX-License-Identifier: Apache-2.0
// Each op of the vocabulary and its gradient: shapes, what they read, flops and traffic.
#include <gtest/gtest.h>

#include <functional>

#include "graph_text.h"
#include "ops/op_table.h"
#include "zoo/autodiff.h"
#include "zoo/gradient_rules.h"

namespace berth {
namespace {

// The ops that `write` and the reverse pass add, as text, without leaves, seed and updates. What `write` gives is the
// loss after a sum.
std::string written(const std::function<Tensor(ModelBuilder&)>& write) {
  ModelBuilder b("ops", DType::kF32, true);
  const Tensor y = write(b);
  b.set_loss(b.reduce_sum(y, {}));
  add_training_step(b, Optimizer::kSgd);
  const Result<Graph> graph = std::move(b).finish();
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  std::string text;
  for (const OpId op : graph->ops()) {
    const std::string& type = graph->type(op);
    const bool frame = type == "sgd_update" || type == "ones" || graph->name(op) == "reduce_sum" || type == "broadcast";
    if (!frame && !is_resident(graph->role(op)) && graph->role(op) != Role::kInput) text += op_text(*graph, op) + "\n";
  }
  return text;
}

TEST(Ops, BiasAddAlongAnyAxis) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.bias_add(b.parameter("x", {2, 3, 4}), b.parameter("c", {3}), 1);
            }),
            "bias_add = bias_add(x, c) [2,3,4]\n"
            "reduce_sum_1 = reduce_sum(broadcast) [3] of=bias_add\n");
}

TEST(Ops, BroadcastFactorsSumTheirGradient) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.mul(b.parameter("x", {2, 3, 4}), b.parameter("c", {2, 1, 4}));
            }),
            "mul = mul(x, c) [2,3,4]\n"
            "mul_1 = mul(broadcast, c) [2,3,4] of=mul\n"
            "mul_2 = mul(broadcast, x) [2,3,4] of=mul\n"
            "reduce_sum_1 = reduce_sum(mul_2) [2,1,4] of=mul\n");
}

TEST(Ops, ActivationsReadWhatFrameworksSave) {
  EXPECT_EQ(written([](ModelBuilder& b) { return b.gelu(b.tanh(b.parameter("x", {2}))); }),
            "tanh = tanh(x) [2]\n"
            "gelu = gelu(tanh) [2]\n"
            "gelu_grad = gelu_grad(broadcast, tanh) [2] of=gelu\n"
            "tanh_grad = tanh_grad(gelu_grad, tanh) [2] of=tanh\n");
}

TEST(Ops, ConvolutionHasTwoGradientsWithItsFlops) {
  // 5x5 over a 9x7 image, stride 2, padding 2: 5x4 outputs; 2 * 3 * 5 * 4 outputs of 2 * 25 products each.
  const auto conv = [](ModelBuilder& b) {
    const Window window{.kernel = {5, 5}, .stride = {2, 2}, .pad = {2, 2}};
    return b.conv2d(b.parameter("x", {2, 2, 9, 7}), b.parameter("w", {3, 2, 5, 5}), window);
  };
  EXPECT_EQ(written(conv),
            "conv2d = conv2d(x, w) [2,3,5,4] flops=12000\n"
            "conv2d_grad_input = conv2d_grad_input(broadcast, w) [2,2,9,7] flops=12000 of=conv2d\n"
            "conv2d_grad_weight = conv2d_grad_weight(broadcast, x) [3,2,5,5] flops=12000 of=conv2d\n");
}

TEST(Ops, GroupedConvolutionDoesLess) {
  const auto conv = [](ModelBuilder& b) {
    const Window window{.kernel = {3, 3}, .pad = {1, 1}, .groups = 4};
    return b.conv2d(b.parameter("x", {1, 8, 4, 4}), b.parameter("w", {8, 2, 3, 3}), window);
  };
  EXPECT_NE(written(conv).find("[1,8,4,4] flops=4608\n"), std::string::npos);  // 2 * 128 outputs * 18 products
}

TEST(Ops, CausalConvolutionKeepsTheLength) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.conv1d(b.parameter("x", {2, 3, 10}), b.parameter("w", {4, 3, 2}), 8);
            }),
            "conv1d = conv1d(x, w) [2,4,10] flops=960\n"
            "conv1d_grad_input = conv1d_grad_input(broadcast, w) [2,3,10] flops=960 of=conv1d\n"
            "conv1d_grad_weight = conv1d_grad_weight(broadcast, x) [4,3,2] flops=960 of=conv1d\n");
}

TEST(Ops, PoolsReadIndicesOrNothing) {
  const Window window{.kernel = {2, 2}, .stride = {2, 2}};
  EXPECT_EQ(written([&](ModelBuilder& b) {
              return b.max_pool(b.avg_pool(b.parameter("x", {1, 1, 8, 8}), window), window);
            }),
            "avg_pool = avg_pool(x) [1,1,4,4]\n"
            "max_pool = max_pool(avg_pool) [1,1,2,2] [1,1,2,2]\n"
            "max_pool_grad = max_pool_grad(broadcast, max_pool:1) [1,1,4,4] of=max_pool\n"
            "avg_pool_grad = avg_pool_grad(max_pool_grad) [1,1,8,8] of=avg_pool\n");
}

TEST(Ops, NormsReadTheirStatistics) {
  EXPECT_EQ(
      written([](ModelBuilder& b) {
        const Tensor c = b.parameter("c", {4});
        return b.rms_norm(b.layer_norm(b.parameter("x", {2, 4}), c, b.parameter("d", {4})), b.parameter("e", {4}));
      }),
      "layer_norm = layer_norm(x, c, d) [2,4] [2] [2]\n"
      "rms_norm = rms_norm(layer_norm, e) [2,4] [2]\n"
      "rms_norm_grad = rms_norm_grad(broadcast, layer_norm, rms_norm:1, e) [2,4] [4] of=rms_norm\n"
      "layer_norm_grad = layer_norm_grad(rms_norm_grad, x, layer_norm:1, layer_norm:2, c) [2,4] [4] [4] "
      "of=layer_norm\n");
}

TEST(Ops, SplitJoinsItsGradientsWithZerosForTheUnused) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.relu(b.split(b.parameter("x", {2, 6}), 1, 3)[1]);
            }),
            "split = split(x) [2,2] [2,2] [2,2]\n"
            "relu = relu(split:1) [2,2]\n"
            "relu_grad = relu_grad(broadcast, relu) [2,2] of=relu\n"
            "zeros = zeros() [2,2] of=split\n"
            "zeros_1 = zeros() [2,2] of=split\n"
            "concat = concat(zeros, relu_grad, zeros_1) [2,6] of=split\n");
}

TEST(Ops, JoinsHandTheirGradientOutInViews) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              const Tensor x = b.parameter("x", {2, 3});
              const Tensor joined = b.concat({x, b.parameter("y", {2, 1})}, 1);
              return b.stack(std::array{joined, joined});
            }),
            "concat = concat(x, y) [2,4]\n"
            "stack = stack(concat, concat) [2,2,4]\n"
            "unstack = unstack(broadcast) [2,4] [2,4] of=stack\n"
            "grad_add = grad_add(unstack, unstack:1) [2,4] of=concat\n"
            "split = split(grad_add) [2,3] [2,1] of=concat\n");
}

TEST(Ops, SlicesPadTheirGradient) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.slice(b.parameter("x", {5, 2}), 0, 1, 3);
            }),
            "slice = slice(x) [3,2]\n"
            "slice_grad = slice_grad(broadcast) [5,2] of=slice\n");
}

TEST(Ops, ReshapeCopiesOnlyWhatIsTransposed) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              const Tensor x = b.reshape(b.parameter("x", {2, 12}), {2, 3, 4});
              return b.reshape(b.transpose(x, {0, 2, 1}), {24});
            }),
            "reshape = reshape(x) [2,3,4]\n"
            "transpose = transpose(reshape) [2,4,3]\n"
            "contiguous = contiguous(transpose) [2,4,3]\n"
            "reshape_1 = reshape(contiguous) [24]\n"
            "reshape_2 = reshape(broadcast) [2,4,3] of=reshape_1\n"
            "transpose_1 = transpose(reshape_2) [2,3,4] of=transpose\n"
            "contiguous_1 = contiguous(transpose_1) [2,3,4] of=reshape\n"
            "reshape_3 = reshape(contiguous_1) [2,12] of=reshape\n");
}

TEST(Ops, PartsOfRowsMayDivideTheirLastDimensionOnly) {
  ModelBuilder b("strided", DType::kF32, false);
  const Tensor part = b.split(b.input("x", DType::kF32, {2, 3, 8}), 2, 2)[0];
  const std::size_t before = b.num_ops();
  b.reshape(part, {2, 3, 2, 2});
  EXPECT_EQ(b.num_ops(), before + 1);  // a view
  b.reshape(part, {6, 4});
  EXPECT_EQ(b.num_ops(), before + 3);  // a copy, then a view
}

TEST(Ops, EmbeddingTouchesRowsAndItsGradientTheTable) {
  ModelBuilder b("rows", DType::kF32, true);
  const Tensor table = b.parameter("table", {1000, 8});
  b.set_loss(b.reduce_sum(b.embedding(table, b.input("ids", DType::kI64, {5})), {}));
  add_training_step(b, Optimizer::kSgd);
  const Result<Graph> graph = std::move(b).finish();
  ASSERT_TRUE(graph.ok());
  for (const OpId op : graph->ops()) {
    if (graph->type(op) == "embedding") {
      EXPECT_EQ(graph->bytes_touched(op), 5 * 8 + 2 * 5 * 32);
    }
    if (graph->type(op) == "embedding_grad") {
      EXPECT_EQ(graph->bytes_touched(op), 1000 * 32 + 5 * 8 + 3 * 5 * 32);
      EXPECT_EQ(op_text(*graph, op), "embedding_grad = embedding_grad(broadcast, ids) [1000,8] of=embedding");
    }
  }
}

TEST(Ops, CrossEntropyIsALogSoftmaxAndALookUp) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.cross_entropy(b.parameter("x", {6, 10}), b.input("l", DType::kI64, {6}));
            }),
            "log_softmax = log_softmax(x) [6,10]\n"
            "nll_loss = nll_loss(log_softmax, l) [6]\n"
            "reduce_mean = reduce_mean(nll_loss) []\n"
            "nll_loss_grad = nll_loss_grad(broadcast_1, l) [6,10] of=nll_loss\n"
            "log_softmax_grad = log_softmax_grad(nll_loss_grad, log_softmax) [6,10] of=log_softmax\n");
}

TEST(Ops, DropoutKeepsAMaskInTrainingAndIsNothingElsewhere) {
  EXPECT_EQ(written([](ModelBuilder& b) { return b.dropout(b.parameter("x", {4}), 0.5); }),
            "dropout = dropout(x) [4] [4]\n"
            "dropout_grad = dropout_grad(broadcast, dropout:1) [4] of=dropout\n");
  ModelBuilder infer("infer", DType::kF32, false);
  const Tensor x = infer.parameter("x", {4});
  EXPECT_EQ(infer.dropout(x, 0.5), x);
}

TEST(Ops, SelectSharesItsGradient) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.select(b.input("m", DType::kBool, {4, 1}), b.parameter("x", {4, 2}), b.parameter("y", {4, 2}));
            }),
            "select = select(m, x, y) [4,2]\n"
            "select_grad = select_grad(broadcast, m) [4,2] [4,2] of=select\n");
}

TEST(Ops, ExpertsGetAndGiveTheirTokens) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              const auto gates = b.topk(b.softmax(b.parameter("scores", {6, 4})), 2);
              return b.moe_combine(b.moe_dispatch(b.parameter("x", {6, 8}), gates.experts, 4, 3), gates);
            }),
            "softmax = softmax(scores) [6,4]\n"
            "topk = topk(softmax) [6,2] [6,2]\n"
            "moe_dispatch = moe_dispatch(x, topk:1) [4,3,8]\n"
            "moe_combine = moe_combine(moe_dispatch, topk, topk:1) [6,8]\n"
            "moe_combine_grad = moe_combine_grad(broadcast, moe_dispatch, topk, topk:1) [4,3,8] [6,2] of=moe_combine\n"
            "moe_dispatch_grad = moe_dispatch_grad(moe_combine_grad, topk:1) [6,8] of=moe_dispatch\n"
            "topk_grad = topk_grad(moe_combine_grad:1, topk:1) [6,4] of=topk\n"
            "softmax_grad = softmax_grad(topk_grad, softmax) [6,4] of=softmax\n");
}

TEST(Ops, BatchMatmulTransposesTheLastTwo) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              return b.batch_matmul(b.parameter("x", {5, 2, 3}), b.parameter("y", {5, 3, 4}));
            }),
            "batch_matmul = batch_matmul(x, y) [5,2,4] flops=240\n"
            "transpose = transpose(y) [5,4,3] of=batch_matmul\n"
            "batch_matmul_1 = batch_matmul(broadcast, transpose) [5,2,3] flops=240 of=batch_matmul\n"
            "transpose_1 = transpose(x) [5,3,2] of=batch_matmul\n"
            "batch_matmul_2 = batch_matmul(transpose_1, broadcast) [5,3,4] flops=240 of=batch_matmul\n");
}

TEST(Ops, PartsOfTheGraphWithoutParametersGetNoGradient) {
  EXPECT_EQ(written([](ModelBuilder& b) {
              const Tensor features = b.relu(b.tanh(b.input("x", DType::kF32, {2, 3})));
              return b.matmul(features, b.parameter("w", {3, 4}));
            }),
            "tanh = tanh(x) [2,3]\n"
            "relu = relu(tanh) [2,3]\n"
            "matmul = matmul(relu, w) [2,4] flops=48\n"
            "transpose = transpose(relu) [3,2] of=matmul\n"
            "matmul_1 = matmul(transpose, broadcast) [3,4] flops=48 of=matmul\n");
}

TEST(OpTypes, NamesAreUniqueAndPlain) {
  std::map<std::string_view, int> seen;
  for (const OpTypeInfo& type : zoo_op_types()) {
    EXPECT_EQ(++seen[type.name], 1) << type.name;
    EXPECT_EQ(type.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos);
    EXPECT_EQ(name_of(type.kind), type.name);
    EXPECT_TRUE(find_op(Dialect::kZoo, type.name).has_value()) << type.name;
  }
}

TEST(OpTypes, GradientsHaveNoRulesOfTheirOwn) {
  for (const OpTypeInfo& type : zoo_op_types()) {
    const bool gradient = type.name.find("_grad") != std::string_view::npos;
    EXPECT_FALSE(gradient && has_gradient_rule(type.kind)) << type.name;
  }
}

}  // namespace
}  // namespace berth
