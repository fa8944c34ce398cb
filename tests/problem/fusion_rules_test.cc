// SPDX-License-Identifier: Apache-2.0
// Kinds and sizes of what planners may fuse.
#include "problem/fusion_rules.h"

#include <gtest/gtest.h>

#include "graph/builder.h"

namespace berth {
namespace {

// Ops by type; every op has one output and reads the ops that are named.
class Sketch {
 public:
  OpId add(std::string_view type, std::vector<OpId> reads = {}, std::vector<std::int64_t> shape = {1024},
           Role role = Role::kCompute) {
    const std::string name = fmt::format("{}{}", type, ops_);
    OpSpec spec{.name = name, .type = type, .role = role, .outputs = {{DType::kF32, std::move(shape)}}};
    for (const OpId op : reads) spec.inputs.push_back({op, 0});
    builder_.add(spec);
    return OpId{ops_++};
  }
  Graph graph() { return std::move(builder_).build().value(); }

 private:
  GraphBuilder builder_{"sketch"};
  std::uint32_t ops_ = 0;
};

FusionKind kind_of(std::string_view type, std::vector<std::int64_t> shape = {1024}, Role role = Role::kCompute) {
  Sketch sketch;
  const OpId x = sketch.add("input", {}, {1024}, Role::kInput);
  const bool reads = role == Role::kCompute || role == Role::kView;
  const OpId op = sketch.add(type, reads ? std::vector{x} : std::vector<OpId>(), std::move(shape), role);
  const Graph graph = sketch.graph();
  return FusionRules(graph).kind(op);
}

TEST(FusionRules, WhatMovesBytesIsPlain) {
  for (const char* type : {"add", "relu", "tanh_grad", "concat", "broadcast", "zeros", "embedding", "nll_loss_grad"}) {
    EXPECT_EQ(kind_of(type), FusionKind::kPlain) << type;
  }
  EXPECT_EQ(kind_of("reshape", {1024}, Role::kView), FusionKind::kPlain);
  EXPECT_EQ(kind_of("a type nobody knows"), FusionKind::kPlain);  // priced element by element, and fused so
}

TEST(FusionRules, WhatTakesItsTimeOtherwiseIsNeverFused) {
  for (const char* type : {"matmul", "conv2d", "conv2d_grad_weight", "dropout", "max_pool", "max_pool_grad",
                           "embedding_grad", "sgd_update", "batch_norm_grad"}) {
    EXPECT_EQ(kind_of(type), FusionKind::kNever) << type;
  }
  for (const Role role : {Role::kParameter, Role::kInput, Role::kConstant, Role::kBuffer}) {
    EXPECT_EQ(kind_of("add", {1024}, role), FusionKind::kNever);
  }
}

TEST(FusionRules, AReductionCountsFromSixteenToOne) {
  EXPECT_EQ(kind_of("softmax"), FusionKind::kReducing);
  EXPECT_EQ(kind_of("layer_norm_grad"), FusionKind::kReducing);
  EXPECT_EQ(kind_of("reduce_sum", {64}), FusionKind::kReducing);  // 1024 / 64 = 16
  EXPECT_EQ(kind_of("reduce_sum", {65}), FusionKind::kPlain);
}

TEST(FusionRules, NoReductionReadsWhatAnotherMakes) {
  Sketch sketch;
  const OpId x = sketch.add("add");
  const OpId sum = sketch.add("reduce_sum", {x}, {1});
  const OpId scaled = sketch.add("mul", {x, sum});
  const OpId softmax = sketch.add("softmax", {scaled});
  const OpId beside = sketch.add("reduce_sum", {x}, {1});
  const Graph graph = sketch.graph();
  const FusionRules rules(graph);
  EXPECT_TRUE(rules.allow(std::vector{x, sum, scaled}));
  EXPECT_TRUE(rules.allow(std::vector{scaled, softmax}));
  EXPECT_TRUE(rules.allow(std::vector{x, sum, beside}));  // side by side
  EXPECT_FALSE(rules.allow(std::vector{softmax, scaled, sum}));
  EXPECT_FALSE(rules.allow(std::vector{x, sum, scaled, softmax, beside}));
}

TEST(FusionRules, AGroupHasAtMostSoManyMembers) {
  Sketch sketch;
  std::vector<OpId> chain{sketch.add("add")};
  while (chain.size() <= kMostFusedOps) chain.push_back(sketch.add("relu", {chain.back()}));
  const Graph graph = sketch.graph();
  const FusionRules rules(graph);
  EXPECT_FALSE(rules.allow(chain));
  chain.pop_back();
  EXPECT_TRUE(rules.allow(chain));
}

TEST(FusionRules, AGroupReadsAtMostSoManyTensors) {
  Sketch sketch;
  std::vector<OpId> outside;
  while (outside.size() <= kMostFusedInputs) outside.push_back(sketch.add("input", {}, {1}, Role::kInput));
  const std::vector<OpId> most(outside.begin(), outside.end() - 1);
  const OpId inner = sketch.add("concat", most);
  const OpId again = sketch.add("concat", {inner, most[0], most[1]});  // what is read already counts once
  const OpId more = sketch.add("concat", {again, outside.back()});
  const Graph graph = sketch.graph();
  const FusionRules rules(graph);
  EXPECT_TRUE(rules.allow(std::vector{inner, again}));
  EXPECT_FALSE(rules.allow(std::vector{inner, again, more}));
}

}  // namespace
}  // namespace berth
