// SPDX-License-Identifier: Apache-2.0
// Bytes and measured times of a graph.
#include <gtest/gtest.h>

#include "graph/builder.h"

namespace berth {
namespace {

TensorSpec bytes(std::int64_t count) { return {DType::kU8, {count}}; }

TEST(ResidentBytes, CountOptimiserCopiesOfTrainedParametersAlone) {
  for (const Optimizer optimizer : {Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam}) {
    GraphBuilder builder("toy");
    builder.set_optimizer(optimizer);
    const OpId trained = builder.add({.name = "t", .role = Role::kParameter, .outputs = {bytes(10), bytes(1)}});
    const OpId frozen = builder.add({.name = "f", .role = Role::kParameter, .outputs = {bytes(20)}});
    const OpId buffer = builder.add({.name = "b", .role = Role::kBuffer, .outputs = {bytes(30)}});
    const OpId constant = builder.add({.name = "c", .role = Role::kConstant, .outputs = {bytes(40)}});
    const OpId input = builder.add({.name = "i", .role = Role::kInput, .outputs = {bytes(50)}});
    const OpId view = builder.add({.name = "v", .role = Role::kView, .inputs = {{frozen, 0}}, .outputs = {bytes(20)}});
    const OpId update = builder.add({.name = "u", .outputs = {bytes(60)}, .updates = trained});
    const Graph graph = std::move(builder).build().value();
    const Bytes copies = optimizer == Optimizer::kSgd ? 1 : optimizer == Optimizer::kMomentum ? 2 : 3;
    EXPECT_EQ(graph.optimizer(), optimizer);
    EXPECT_EQ(graph.resident_bytes(trained), 11 * copies);
    EXPECT_EQ(graph.resident_bytes(frozen), 20);
    EXPECT_EQ(graph.resident_bytes(buffer), 30);
    EXPECT_EQ(graph.resident_bytes(constant), 40);
    for (const OpId op : {input, view, update}) EXPECT_EQ(graph.resident_bytes(op), 0);
    EXPECT_EQ(graph.parameter_bytes(), 31);  // once each, whatever the optimiser
  }
}

TEST(BytesTouched, AreDistinctInputsAndOutputsUnlessStated) {
  GraphBuilder builder("toy");
  const OpId a = builder.add({.name = "a", .outputs = {bytes(10), bytes(5)}});
  const OpId b = builder.add({.name = "b", .inputs = {{a, 0}, {a, 0}, {a, 1}}, .outputs = {bytes(100)}});
  const OpId c = builder.add({.name = "c", .inputs = {{b, 0}}, .outputs = {bytes(7)}, .bytes_touched = 42});
  const OpId d = builder.add({.name = "d", .inputs = {{c, 0}}, .bytes_touched = 0});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(graph.bytes_touched(a), 15);
  EXPECT_EQ(graph.bytes_touched(b), 115);
  EXPECT_EQ(graph.bytes_touched(c), 42);
  EXPECT_EQ(graph.bytes_touched(d), 0);
}

TEST(MeasuredTimes, AreSortedByModelAndNegativeWhereMissing) {
  GraphBuilder builder("toy");
  for (const char* name : {"a", "b", "c"}) builder.add({.name = name});
  builder.set_measured("xeon", OpId{0}, 0.5);
  builder.set_measured("h200", OpId{1}, 0.25);
  builder.set_measured("xeon", OpId{1}, 1.5);
  const Graph graph = std::move(builder).build().value();
  ASSERT_EQ(graph.measured().size(), 2U);
  EXPECT_EQ(graph.measured()[0].device_model, "h200");
  EXPECT_EQ(graph.measured()[0].seconds, (std::vector<float>{-1.0F, 0.25F, -1.0F}));
  EXPECT_EQ(graph.measured()[1].device_model, "xeon");
  EXPECT_EQ(graph.measured()[1].seconds, (std::vector<float>{0.5F, 1.5F, -1.0F}));
}

TEST(Vocabulary, NamesReadBack) {
  for (const Role role :
       {Role::kCompute, Role::kParameter, Role::kBuffer, Role::kConstant, Role::kInput, Role::kView}) {
    EXPECT_EQ(role_from_name(name_of(role)), role);
  }
  for (const Optimizer optimizer : {Optimizer::kSgd, Optimizer::kMomentum, Optimizer::kAdam}) {
    EXPECT_EQ(optimizer_from_name(name_of(optimizer)), optimizer);
  }
  EXPECT_EQ(role_from_name("Compute"), std::nullopt);
  EXPECT_EQ(optimizer_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace berth
