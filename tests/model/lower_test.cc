// SPDX-License-Identifier: Apache-2.0
#include "model/lower.h"

#include "model/small_model.h"

namespace berth {
namespace {

TEST(Lower, DropoutIsAViewUnlessItTrains) {
  SmallModel net(Dialect::kAten);
  const ValueIndex x = net.input("x", {4, 8});
  const ValueIndex kept = net.node("kept", "aten.dropout.default", {x}, {4, 8});
  net.last().attributes = {{"p", 0.1}, {"train", std::int64_t{0}}};
  net.output(net.node("dropped", "aten.dropout.default", {kept}, {4, 8}));
  net.last().attributes = {{"p", 0.1}, {"train", std::int64_t{1}}};
  const Lowered lowered = net.lower();
  EXPECT_EQ(role_of(lowered.graph, "kept"), Role::kView);
  EXPECT_EQ(role_of(lowered.graph, "dropped"), Role::kCompute);
  EXPECT_TRUE(lowered.report.unknown_types.empty());
}

TEST(Lower, AConversionToTheSameTypeIsAView) {
  SmallModel net(Dialect::kAten);
  const ValueIndex x = net.input("x", {4, 8});
  const ValueIndex same = net.node("same", "aten.to.dtype_layout", {x}, {4, 8});
  net.output(net.node("half", "aten.to.dtype_layout", {same}, {4, 8}, DType::kF16));
  const Lowered lowered = net.lower();
  EXPECT_EQ(role_of(lowered.graph, "same"), Role::kView);
  EXPECT_EQ(role_of(lowered.graph, "half"), Role::kCompute);
}

TEST(Lower, InPlaceOpsCompute) {
  SmallModel net(Dialect::kAten);
  const ValueIndex x = net.input("x", {4, 8});
  net.output(net.node("relu_", "aten.relu_.default", {x}, {4, 8}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(role_of(lowered.graph, "relu_"), Role::kCompute);
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "relu_")), 2 * 4 * 8 * 4);
  EXPECT_TRUE(lowered.report.unknown_types.empty());
}

TEST(Lower, UnknownTypesAreListedAndPricedByBytes) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex x = net.input("x", {4, 8});
  const ValueIndex a = net.node("a", "mine.Frobnicate", {x}, {4, 8});
  const ValueIndex b = net.node("b", "mine.Frobnicate", {a}, {4, 8});
  const ValueIndex c = net.node("c", "com.microsoft.QuickGelu", {b}, {4, 8});
  net.output(net.node("d", "Whatever", {c}, {2}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.report.unknown_types,
            (std::map<std::string, std::size_t>{{"Whatever", 1}, {"mine.Frobnicate", 2}}));
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "a")), 2 * 4 * 8 * 4);
}

TEST(Lower, GathersAndSlicesTouchWhatTheyMake) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex table = net.parameter("table", {1000, 16}), ids = net.input("ids", {5}, DType::kI64);
  const ValueIndex rows = net.node("rows", "Gather", {table, ids}, {5, 16});
  const ValueIndex start = net.leaf(Role::kConstant, "start", {1}, DType::kI64);
  net.output(net.node("part", "Slice", {rows, start, start}, {2, 16}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "rows")), 2 * 5 * 16 * 4 + 5 * 8);
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "part")), 2 * 2 * 16 * 4 + 2 * 8);
}

TEST(Lower, AnInputThatIsLeftOutKeepsItsPlace) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex x = net.input("x", {10, 4, 16}), w = net.parameter("w", {1, 32, 16}),
                   r = net.parameter("r", {1, 32, 8});
  net.output(net.node("lstm", "LSTM", {x, w, r, kNoValue, kNoValue}, {10, 1, 4, 8}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.total_flops(), 2.0 * 10 * 4 * (32 * 16 + 32 * 8));
}

TEST(Lower, WorkInALoopCountsAsOftenAsItRuns) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex x = net.input("x", {3, 5}), w = net.parameter("w", {5, 7});
  const ValueIndex y = net.node("y", "MatMul", {x, w}, {3, 7});
  net.last().attributes = {{"_trip_count", std::int64_t{10}}};
  const ValueIndex z = net.node("z", "GatherV2", {y, net.input("i", {2}, DType::kI32)}, {2, 7});
  net.last().attributes = {{"_trip_count", std::int64_t{10}}};
  net.output(net.node("once", "Tanh", {z}, {2, 7}));
  const Lowered lowered = net.lower();
  const Graph& graph = lowered.graph;
  EXPECT_EQ(graph.flops(op_named(graph, "y")), 10 * 2.0 * 3 * 5 * 7);
  EXPECT_EQ(graph.bytes_touched(op_named(graph, "y")), 10 * 4 * (3 * 5 + 5 * 7 + 3 * 7));
  EXPECT_EQ(graph.bytes_touched(op_named(graph, "z")), 10 * (4 * (2 * 7 + 2 * 7) + 4 * 2));
  EXPECT_EQ(graph.bytes_touched(op_named(graph, "once")), 2 * 4 * 2 * 7);
}

TEST(Lower, ALoopThatIsOneNodeHasTheWorkOfItsBody) {
  SmallModel net(Dialect::kOpenVino);
  const ValueIndex x = net.input("x", {10, 4});
  net.output(net.node("loop", "TensorIterator", {x}, {10, 4}));
  net.last().attributes = {{"body_flops", 1e6}, {"body_bytes", std::int64_t{12345}}, {"body_turns", std::int64_t{10}}};
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.total_flops(), 1e6);
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "loop")), 12345);
  EXPECT_TRUE(lowered.report.unknown_types.empty());
}

TEST(Lower, ControlFlowOfTensorFlowIsViews) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex zero = net.leaf(Role::kConstant, "zero", {4});
  const ValueIndex enter = net.node("enter", "Enter", {zero}, {4});
  const ValueIndex merge = net.node("merge", "Merge", {enter}, {4});
  const ValueIndex cond = net.node("cond", "LoopCond", {net.input("again", {}, DType::kBool)}, {}, DType::kBool);
  const ValueIndex now = net.node("switch", "Switch", {merge, cond}, {4});
  const ValueIndex body = net.node("body", "Neg", {now}, {4});
  net.node("next", "NextIteration", {body}, {4});
  net.output(net.node("exit", "Exit", {now}, {4}));
  const Lowered lowered = net.lower();
  for (const char* name : {"merge", "cond", "switch", "next", "exit"}) {
    ASSERT_NE(op_named(lowered.graph, name), kNoOp) << name;
    EXPECT_EQ(role_of(lowered.graph, name), Role::kView) << name;
  }
  EXPECT_EQ(role_of(lowered.graph, "body"), Role::kCompute) << "what goes round is no constant";
  EXPECT_EQ(op_named(lowered.graph, "enter"), kNoOp) << "but where it starts is";
}

TEST(Lower, AtenOperatorsInsideOnnxAreKnown) {
  SmallModel net(Dialect::kOnnx);
  const ValueIndex table = net.parameter("table", {1000, 16}), ids = net.input("ids", {5}, DType::kI64);
  net.output(net.node("rows", "aten.embedding", {table, ids}, {5, 16}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.bytes_touched(op_named(lowered.graph, "rows")), 2 * 5 * 16 * 4 + 5 * 8);
  EXPECT_TRUE(lowered.report.unknown_types.empty());
}

TEST(Lower, LeavesShareTheColocationGroupsOfTheFile) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex x = net.input("x", {3, 5}), w = net.parameter("w", {5, 7});
  net.model().leaves.back().colocate = "w";
  net.output(net.node("y", "MatMul", {x, w}, {3, 7}));
  net.last().colocate = "w";
  const Lowered lowered = net.lower();
  const Graph& graph = lowered.graph;
  EXPECT_GE(graph.colocation_group(op_named(graph, "w")), 0);
  EXPECT_EQ(graph.colocation_group(op_named(graph, "w")), graph.colocation_group(op_named(graph, "y")));
  EXPECT_LT(graph.colocation_group(op_named(graph, "x")), 0);
}

}  // namespace
}  // namespace berth
