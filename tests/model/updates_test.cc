// SPDX-License-Identifier: Apache-2.0
#include "model/updates.h"

#include <algorithm>

#include "model/small_model.h"

namespace berth {
namespace {

bool waits_for(const Graph& graph, OpId op, OpId before) {
  return std::ranges::find(graph.control_inputs(op), before) != graph.control_inputs(op).end();
}

// x times w, and a step of gradient descent on w with a gradient from x.
struct Training {
  SmallModel net{Dialect::kTensorFlow};
  ValueIndex x = net.input("x", {3, 5}), w = net.parameter("w", {5, 7}), rate = net.leaf(Role::kConstant, "rate", {});
  ValueIndex read = net.node("read", "Identity", {w}, {5, 7});
  ValueIndex y = net.node("y", "MatMul", {x, read}, {3, 7});
  ValueIndex gradient = net.node("gradient", "Neg", {net.input("g", {5, 7})}, {5, 7});
  ValueIndex step = net.node("step", "ApplyGradientDescent", {w, rate, gradient}, {5, 7});
  std::uint32_t step_index = net.last_index();
};

TEST(Updates, AnOptimiserStepUpdatesItsParameter) {
  Training training;
  training.net.output(training.y);
  const Lowered lowered = training.net.lower();
  const Graph& graph = lowered.graph;
  const OpId step = op_named(graph, "step"), w = op_named(graph, "w");
  EXPECT_EQ(graph.updated_parameter(step), w);
  EXPECT_TRUE(graph.is_trained(w));
  EXPECT_EQ(graph.outputs(step).size(), 0U) << "the variable itself, no new tensor";
  EXPECT_EQ(graph.bytes_touched(step), 3 * 5 * 7 * 4 + 4) << "reads w and the gradient, writes w";
  EXPECT_EQ(graph.colocation_group(step), graph.colocation_group(w));
  EXPECT_TRUE(waits_for(graph, step, op_named(graph, "y"))) << "which reads w through a view";
}

TEST(Updates, AResultThatIsWantedIsATensor) {
  Training training;
  training.net.output(training.y);
  training.net.output(training.step);
  const Lowered lowered = training.net.lower();
  EXPECT_EQ(lowered.graph.outputs(op_named(lowered.graph, "step")).size(), 1U);
}

// w is read after the step: held to the rule of updates, the read would have to come before it.
TEST(Updates, AVariableThatIsReadAgainBehindItsStepIsNotUpdated) {
  for (const bool by_control : {true, false}) {
    Training training;
    SmallModel& net = training.net;
    const ValueIndex again = net.node("again", "Identity", {by_control ? training.w : training.step}, {5, 7});
    if (by_control) net.last().control = {training.step_index};
    net.output(net.node("norm", "L2Loss", {again}, {}));
    const Lowered lowered = net.lower();
    EXPECT_EQ(lowered.graph.updated_parameter(op_named(lowered.graph, "step")),
              by_control ? kNoOp : op_named(lowered.graph, "w"))
        << (by_control ? "the variable is read" : "what the step gives back is read, which comes after it anyway");
  }
}

TEST(Updates, OfTwoWritersNoneIsTheUpdate) {
  Training training;
  SmallModel& net = training.net;
  net.node("decay", "AssignSub", {training.w, training.gradient}, {5, 7});
  net.output(training.y);
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.updated_parameter(op_named(lowered.graph, "step")), kNoOp);
  EXPECT_EQ(lowered.graph.updated_parameter(op_named(lowered.graph, "decay")), kNoOp);
}

// As TensorFlow 1 has it: the counter is raised when all steps are done, and read at the beginning.
TEST(Updates, ACounterBehindAllSteps) {
  Training training;
  SmallModel& net = training.net;
  const ValueIndex count = net.parameter("count", {}), one = net.leaf(Role::kConstant, "one", {});
  net.output(net.node("decayed", "Exp", {count}, {}));
  net.node("raise", "AssignAdd", {count, one}, {});
  net.last().control = {training.step_index};
  net.output(training.y);
  const Lowered lowered = net.lower();
  const Graph& graph = lowered.graph;
  EXPECT_EQ(graph.updated_parameter(op_named(graph, "raise")), op_named(graph, "count"));
  EXPECT_EQ(graph.updated_parameter(op_named(graph, "step")), op_named(graph, "w"));
  EXPECT_TRUE(waits_for(graph, op_named(graph, "raise"), op_named(graph, "decayed")));
}

TEST(Updates, WritesOfWhatIsNoParameterAreOrdinaryOps) {
  SmallModel net(Dialect::kTensorFlow);
  const ValueIndex x = net.input("x", {4});
  net.output(net.node("y", "AssignAdd", {x, x}, {4}));
  const Lowered lowered = net.lower();
  EXPECT_EQ(lowered.graph.updated_parameter(op_named(lowered.graph, "y")), kNoOp);
}

}  // namespace
}  // namespace berth
