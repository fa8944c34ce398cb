// SPDX-License-Identifier: Apache-2.0
// Every mistake a source can make, and the line it gets for it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "graph/builder.h"
#include "graph/parts.h"

namespace berth {
namespace {

std::string error_of(GraphBuilder builder) {
  const auto graph = std::move(builder).build();
  return graph.ok() ? "no error" : graph.error().message;
}

// The error of a graph of one op.
std::string error_of(const OpSpec& op) {
  GraphBuilder builder("toy");
  builder.add(op);
  return error_of(std::move(builder));
}

std::string error_of_shape(DType dtype, std::vector<std::int64_t> shape) {
  return error_of({.name = "a", .outputs = {kScalar, {dtype, std::move(shape)}}});
}

// A ring of compute ops op0 -> op1 -> ... -> op0, with two harmless ops in front.
GraphBuilder ring(std::uint32_t length) {
  GraphBuilder builder("toy");
  const OpId source = builder.add({.name = "source", .role = Role::kInput, .outputs = {kScalar}});
  builder.add({.name = "harmless", .inputs = {{source, 0}}, .outputs = {kScalar}});
  for (std::uint32_t i = 0; i < length; ++i) {
    const OpId before{2 + (i + length - 1) % length};
    const std::string name = fmt::format("op{}", i);
    builder.add({.name = name, .inputs = {{source, 0}, {before, 0}}, .outputs = {kScalar}});
  }
  builder.add({.name = "after", .inputs = {{OpId{2}, 0}}});
  return builder;
}

TEST(BuilderErrors, CycleNamesItsOpsInOrder) {
  EXPECT_EQ(error_of(ring(1)), "the graph has a cycle of 1 op: 'op0' -> 'op0'");
  EXPECT_EQ(error_of(ring(3)), "the graph has a cycle of 3 ops: 'op0' -> 'op1' -> 'op2' -> 'op0'");
  EXPECT_EQ(error_of(ring(5)), "the graph has a cycle of 5 ops: 'op0' -> 'op1' -> 'op2' -> 'op3' -> 'op4' -> 'op0'");
}

TEST(BuilderErrors, LongCycleNamesAFewOfItsOps) {
  EXPECT_EQ(error_of(ring(1000)),
            "the graph has a cycle of 1000 ops: ... -> 'op995' -> 'op996' -> 'op997' -> 'op998' -> 'op999' -> 'op0'");
}

TEST(BuilderErrors, CycleOverControlEdges) {
  GraphBuilder builder("toy");
  const OpId a = builder.add({.name = "a", .control_inputs = {OpId{1}}, .outputs = {kScalar}});
  builder.add({.name = "b", .inputs = {{a, 0}}});
  EXPECT_EQ(error_of(std::move(builder)), "the graph has a cycle of 2 ops: 'a' -> 'b' -> 'a'");
  EXPECT_EQ(error_of({.name = "a", .control_inputs = {OpId{0}}}), "the graph has a cycle of 1 op: 'a' -> 'a'");
}

// The reader depends on the update, so the update can not wait for it.
TEST(BuilderErrors, CycleThroughAnUpdatesWait) {
  GraphBuilder builder("toy");
  const OpId w = builder.add({.name = "w", .role = Role::kParameter, .outputs = {kScalar}});
  const OpId u = builder.add({.name = "u", .inputs = {{w, 0}}, .outputs = {kScalar}, .updates = w});
  builder.add({.name = "late", .inputs = {{u, 0}, {w, 0}}});
  EXPECT_EQ(error_of(std::move(builder)), "the graph has a cycle of 2 ops: 'u' -> 'late' -> 'u'");
}

TEST(BuilderErrors, CycleOfViewsBesideAParameter) {
  GraphBuilder builder("toy");
  const OpId w = builder.add({.name = "w", .role = Role::kParameter, .outputs = {kScalar}});
  builder.add({.name = "u", .updates = w});
  builder.add({.name = "v0", .role = Role::kView, .inputs = {{OpId{3}, 0}, {w, 0}}, .outputs = {kScalar}});
  builder.add({.name = "v1", .role = Role::kView, .inputs = {{OpId{2}, 0}}, .outputs = {kScalar}});
  EXPECT_EQ(error_of(std::move(builder)), "the graph has a cycle of 2 ops: 'v0' -> 'v1' -> 'v0'");
}

TEST(BuilderErrors, DanglingInput) {
  EXPECT_EQ(error_of({.name = "a", .inputs = {{OpId{0}, 0}, {OpId{7}, 0}}, .outputs = {kScalar}}),
            "op 'a': input 1 comes from op 7, but there are only 1 ops");
  EXPECT_EQ(error_of({.name = "a", .inputs = {{kNoOp, 0}}}),
            "op 'a': input 0 comes from op 4294967295, but there are only 1 ops");
}

TEST(BuilderErrors, MissingOutput) {
  GraphBuilder builder("toy");
  const OpId a = builder.add({.name = "a", .outputs = {kScalar}});
  GraphBuilder other = builder;
  builder.add({.name = "b", .inputs = {{a, 0}, {a, 1}}});
  other.add({.name = "b", .inputs = {{a, -1}}});
  EXPECT_EQ(error_of(std::move(builder)), "op 'b': input 1 is output 1 of 'a', which has 1 outputs");
  EXPECT_EQ(error_of(std::move(other)), "op 'b': input 0 is output -1 of 'a', which has 1 outputs");
}

TEST(BuilderErrors, DuplicateAndMissingNames) {
  GraphBuilder builder("toy");
  for (const char* name : {"a", "b", "a"}) builder.add({.name = name});
  EXPECT_EQ(error_of(std::move(builder)), "two ops have the name 'a'");
  EXPECT_EQ(error_of({.type = "relu"}), "op 0 has no name");
}

TEST(BuilderErrors, LengthOfNames) {
  EXPECT_EQ(error_of({.name = std::string(kMaxNameLength, 'n')}), "no error");
  EXPECT_EQ(error_of({.name = std::string(kMaxNameLength + 1, 'n')}),
            "the name of op 0 has 4097 characters; at most 4096 are read");
  EXPECT_EQ(error_of({.name = "a", .attributes = std::string(kMaxAttributesLength, 'n')}), "no error");
  EXPECT_EQ(error_of({.name = "a", .attributes = std::string(kMaxAttributesLength + 1, 'n')}),
            "op 'a': its attributes have 1025 characters; at most 1024 are read");
}

TEST(BuilderErrors, NegativeDimension) {
  EXPECT_EQ(error_of_shape(DType::kF32, {3, -1, 0}), "op 'a': output 1 has the negative dimension -1");
  EXPECT_EQ(error_of_shape(DType::kF32, {std::numeric_limits<std::int64_t>::min()}),
            "op 'a': output 1 has the negative dimension -9223372036854775808");
}

TEST(BuilderErrors, OverflowingSize) {
  const std::string overflow = "op 'a': the size of output 1 overflows; all tensors together may have 32.0 PiB";
  constexpr std::int64_t kHuge = 1'000'000'000'000'000'000, kHighest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(error_of_shape(DType::kF32, {kHuge}), overflow);
  EXPECT_EQ(error_of_shape(DType::kU8, {kHuge, kHuge, kHuge}), overflow);
  EXPECT_EQ(error_of_shape(DType::kI4, {kHighest}), overflow);
  EXPECT_EQ(error_of_shape(DType::kC128, {kHighest, kHighest}), overflow);
  EXPECT_EQ(error_of_shape(DType::kF32, std::vector<std::int64_t>(32, 1 << 20)), overflow);
  EXPECT_EQ(error_of_shape(DType::kC128, {kMaxTotalBytes / 16 + 1}), overflow);
}

TEST(BuilderErrors, SizesUpToTheCapAreFine) {
  EXPECT_EQ(error_of_shape(DType::kF32, {kMaxTotalBytes / 4 - 1}), "no error");  // the scalar beside it has 4 bytes
  EXPECT_EQ(error_of_shape(DType::kU8, {kMaxTotalBytes - 4}), "no error");
  EXPECT_EQ(error_of_shape(DType::kF32, {1'000'000'000'000'000'000, 0}), "no error");  // nothing, however wide
}

TEST(BuilderErrors, SizesThatOverflowTogether) {
  GraphBuilder builder("toy");
  builder.add({.name = "a", .outputs = {{DType::kU8, {kMaxTotalBytes / 2}}}});
  builder.add({.name = "b", .outputs = {{DType::kU8, {kMaxTotalBytes / 2}}}});
  builder.add({.name = "c", .outputs = {{DType::kU8, {1}}}});
  EXPECT_EQ(error_of(std::move(builder)),
            "op 'c': the size of output 0 overflows; all tensors together may have 32.0 PiB");
}

TEST(BuilderErrors, Rank) {
  EXPECT_EQ(error_of_shape(DType::kF32, std::vector<std::int64_t>(32, 1)), "no error");
  EXPECT_EQ(error_of_shape(DType::kF32, std::vector<std::int64_t>(33, 1)),
            "op 'a': output 1 has rank 33; at most 32 is read");
}

TEST(BuilderErrors, Roles) {
  EXPECT_EQ(error_of({.name = "v", .role = Role::kView, .outputs = {kScalar}}),
            "op 'v' is a view but has no input to look at");
  for (const Role role : {Role::kParameter, Role::kBuffer, Role::kConstant, Role::kInput}) {
    GraphBuilder builder("toy");
    const OpId a = builder.add({.name = "a", .outputs = {kScalar}});
    builder.add({.name = "b", .role = role, .inputs = {{a, 0}}});
    EXPECT_EQ(error_of(std::move(builder)), fmt::format("op 'b' has the role {} but also inputs", name_of(role)));
  }
}

TEST(BuilderErrors, AllowedKinds) {
  EXPECT_EQ(error_of({.name = "a", .allowed = 0}), "op 'a' is allowed on no kind of device");
  EXPECT_EQ(error_of({.name = "a", .allowed = 0x80}), "op 'a' is allowed on no kind of device");
}

TEST(BuilderErrors, Updates) {
  EXPECT_EQ(error_of({.name = "u", .updates = OpId{0}}), "op 'u' updates op 0, which is no parameter");
  EXPECT_EQ(error_of({.name = "u", .updates = OpId{9}}), "op 'u' updates op 9, which is no parameter");
  GraphBuilder two("toy");
  const OpId w = two.add({.name = "w", .role = Role::kParameter, .outputs = {kScalar}});
  GraphBuilder buffer = two, view = two;
  two.add({.name = "u0", .updates = w});
  two.add({.name = "u1", .updates = w});
  EXPECT_EQ(error_of(std::move(two)), "parameter 'w' has two update ops");
  view.add({.name = "u", .role = Role::kView, .inputs = {{w, 0}}, .updates = w});
  EXPECT_EQ(error_of(std::move(view)), "op 'u' is an update but has no compute role");
  const OpId b = buffer.add({.name = "b", .role = Role::kBuffer, .outputs = {kScalar}});
  buffer.add({.name = "u", .updates = b});
  EXPECT_EQ(error_of(std::move(buffer)), "op 'u' updates op 1, which is no parameter");
}

TEST(BuilderErrors, GradientOfNothing) {
  EXPECT_EQ(error_of({.name = "g", .forward_of = OpId{3}}), "op 'g' is the gradient of op 3, but there are only 1 ops");
}

TEST(BuilderErrors, ControlEdgeOutOfRange) {
  EXPECT_EQ(error_of({.name = "a", .control_inputs = {OpId{4}}}),
            "a control edge leads from op 4 to op 0, but there are only 1 ops");
  GraphBuilder builder("toy");
  builder.add({.name = "a"});
  builder.add_control_edge(OpId{0}, OpId{2});
  EXPECT_EQ(error_of(std::move(builder)), "a control edge leads from op 0 to op 2, but there are only 1 ops");
}

TEST(BuilderErrors, FlopsAndBytesTouched) {
  EXPECT_EQ(error_of({.name = "a", .flops = -1.0}), "op 'a': flops -1 are not between 0 and 1e30");
  EXPECT_EQ(error_of({.name = "a", .flops = 1e31}), "op 'a': flops 1e+31 are not between 0 and 1e30");
  EXPECT_EQ(error_of({.name = "a", .flops = std::nan("")}), "op 'a': flops nan are not between 0 and 1e30");
  EXPECT_EQ(error_of({.name = "a", .flops = INFINITY}), "op 'a': flops inf are not between 0 and 1e30");
  EXPECT_EQ(error_of({.name = "a", .bytes_touched = -2}), "op 'a': it touches -2 bytes, which is out of range");
  EXPECT_EQ(error_of({.name = "a", .bytes_touched = kMaxTotalBytes + 1}),
            "op 'a': it touches 36028797018963969 bytes, which is out of range");
}

TEST(BuilderErrors, MeasuredTimes) {
  const auto measured = [](OpId op, double seconds) {
    GraphBuilder builder("toy");
    builder.add({.name = "a"});
    builder.set_measured("h200", op, seconds);
    return error_of(std::move(builder));
  };
  EXPECT_EQ(measured(OpId{0}, 0.0), "no error");
  EXPECT_EQ(measured(OpId{0}, -1.0), "op 0: the measured time -1 s on 'h200' is out of range");
  EXPECT_EQ(measured(OpId{0}, std::nan("")), "op 0: the measured time nan s on 'h200' is out of range");
  EXPECT_EQ(measured(OpId{0}, 2e5), "op 0: the measured time 200000 s on 'h200' is out of range");
  EXPECT_EQ(measured(OpId{1}, 1.0), "a measured time names op 1 of 1");
}

TEST(BuilderErrors, MissingGraphOutput) {
  for (const OutputRef mark : {OutputRef{OpId{0}, 1}, OutputRef{OpId{0}, -1}, OutputRef{OpId{1}, 0}, OutputRef{}}) {
    GraphBuilder builder("toy");
    builder.add({.name = "a", .outputs = {kScalar}});
    builder.mark_output(mark);
    EXPECT_EQ(error_of(std::move(builder)),
              fmt::format("the graph output ({}, {}) does not exist", index(mark.op), mark.output));
  }
}

TEST(BuilderErrors, EarlyOnesAreKnownBeforeBuilding) {
  GraphBuilder builder("toy");
  builder.add({.name = "a"});
  EXPECT_FALSE(builder.early_error().has_value());
  builder.add({.name = ""});
  ASSERT_TRUE(builder.early_error().has_value());
  EXPECT_EQ(builder.early_error()->message, "op 1 has no name");
  builder.add({.name = "b", .flops = -1.0});  // only the first mistake is told
  builder.set_measured("h200", OpId{5}, -1.0);
  EXPECT_EQ(builder.num_ops(), 1U);
  EXPECT_EQ(error_of(std::move(builder)), "op 1 has no name");
}

}  // namespace
}  // namespace berth
