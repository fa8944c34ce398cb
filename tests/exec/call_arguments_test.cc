// SPDX-License-Identifier: Apache-2.0
// Arguments of captures as values of operators: what each form becomes, where tensors go, and what is refused.
#include "exec/program/call_arguments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exec/program/operator_rules.h"
#include "exec/small_captures.h"

namespace berth::exec {
namespace {

// The call of one op behind an input of 4 x 4 (tensor 0) and one of whole numbers (tensor 1).
std::string call_text(std::string_view type, std::string_view args, std::string_view kwargs = "") {
  return CaptureText()
      .add("input", "f32 4 4")
      .add("input", "i64 4")
      .add(type, "f32 4 4", fmt::format(R"("args": [{}], "kwargs": {{{}}})", args, kwargs))
      .text();
}

Call call_of(std::string_view type, std::string_view args, std::string_view kwargs = "") {
  const SmallCapture capture = SmallCapture::read(call_text(type, args, kwargs));
  return capture.program.call(OpId{2});
}

void expect_refused(std::string_view type, std::string_view args, std::string_view words,
                    std::string_view kwargs = "") {
  const std::string error = refusal_of(call_text(type, args, kwargs));
  EXPECT_NE(error.find(words), std::string::npos) << type << ": " << error;
}

TEST(CallArguments, NumbersBecomeWhatTheOperatorWants) {
  const Call transposed = call_of("aten.transpose.int", R"({"op": 0}, {"i": -2}, {"i": 1})");
  ASSERT_EQ(transposed.arguments.size(), 3U);
  EXPECT_EQ(transposed.arguments[1].toInt(), -2);
  const Call drawn = call_of("aten.bernoulli.p", R"({"op": 0}, {"i": 1})");
  EXPECT_EQ(drawn.arguments[1].toDouble(), 1.0) << "a whole number for a real one";
  const Call summed = call_of("aten.sum.dim_IntList", R"({"op": 0}, {"list": [{"i": 0}, {"i": 1}]}, {"i": 1})");
  EXPECT_EQ(summed.arguments[1].toIntVector(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(summed.arguments[2].toBool()) << "1 for true";
  EXPECT_TRUE(summed.arguments[3].isNone()) << "its default";
}

TEST(CallArguments, RealNumbersStandInQuotesOrWithout) {
  const auto filled = [](std::string_view value) {
    return call_of("aten.masked_fill.Scalar", fmt::format(R"({{"op": 0}}, {{"op": 0}}, {{"f": {}}})", value))
        .arguments[2]
        .toDouble();
  };
  EXPECT_EQ(filled(R"("0.1")"), 0.1);
  EXPECT_EQ(filled("2.5"), 2.5);
  EXPECT_EQ(filled(R"("-inf")"), -INFINITY);
  expect_refused("aten.bernoulli.p", R"({"op": 0}, {"f": "a half"})", "expected a number");
  expect_refused("aten.bernoulli.p", R"({"op": 0}, {"f": "0.5 "})", "expected a number");
  expect_refused("aten.bernoulli.p", R"({"op": 0}, {"f": "1e999"})", "expected a number");
}

TEST(CallArguments, ANumberStandsForATensorWhereOneIsWanted) {
  const Call added = call_of("aten.add.Tensor", R"({"op": 0}, {"f": "1.5"})", R"("alpha": {"i": 2})");
  EXPECT_EQ(added.arguments[1].toTensor().item<double>(), 1.5);
  EXPECT_TRUE(added.arguments[1].toTensor().unsafeGetTensorImpl()->is_wrapped_number()) << "f32 stays f32";
  EXPECT_EQ(added.arguments[2].toScalar().toLong(), 2);
  ASSERT_EQ(added.tensors.size(), 1U);
  EXPECT_EQ(added.tensors[0].position, 0U);
  EXPECT_EQ(call_of("aten.add.Tensor", R"({"op": 0}, {"op": 0})").arguments[2].toScalar().toLong(), 1) << "default";
}

TEST(CallArguments, OneNumberStandsForAListOfEqualOnes) {
  const Call pooled = call_of("aten.avg_pool2d.default", R"({"op": 0}, {"i": 3}, {"list": [{"i": 1}, {"i": 2}]})");
  EXPECT_EQ(pooled.arguments[1].toIntVector(), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(pooled.arguments[2].toIntVector(), (std::vector<std::int64_t>{1, 2}));
}

TEST(CallArguments, DtypesLayoutsAndDevices) {
  const Call copied = call_of("aten._to_copy.default", R"({"op": 0})",
                              R"("dtype": {"dtype": "f64"}, "layout": {"layout": "torch.strided"},
                                 "device": {"device": "cuda:3"}, "memory_format": {"memory_format": "torch.channels_last"})");
  EXPECT_EQ(copied.arguments[1].toScalarType(), at::kDouble);
  EXPECT_EQ(copied.arguments[2].toLayout(), at::kStrided);
  EXPECT_EQ(copied.devices, std::vector<std::size_t>{3}) << "whatever it was, it becomes where the op runs";
  EXPECT_EQ(copied.arguments[6].toMemoryFormat(), at::MemoryFormat::ChannelsLast);
  expect_refused("aten._to_copy.default", R"({"op": 0})", "no dtype 'f99'", R"("dtype": {"dtype": "f99"})");
  expect_refused("aten._to_copy.default", R"({"op": 0})", "no dtype 'f8'", R"("dtype": {"dtype": "f8"})");
  expect_refused("aten._to_copy.default", R"({"op": 0})", "'torch.sparse' is not known",
                 R"("layout": {"layout": "torch.sparse"})");
  expect_refused("aten._to_copy.default", R"({"op": 0})", "'dtype' cannot be that", R"("dtype": {"device": "cpu"})");
}

TEST(CallArguments, TensorsGoWhereTheyAreNamed) {
  const Call one = call_of("aten.mm.default", R"({"op": 0})", R"("mat2": {"op": 0})");
  ASSERT_EQ(one.tensors.size(), 2U);
  EXPECT_EQ(one.tensors[1].position, 1U);
  EXPECT_EQ(one.tensors[1].tensors, std::vector<std::int64_t>{0});
  const Call joined = call_of("aten.cat.default", R"({"list": [{"op": 0}, {"op": 0}]}, {"i": 1})");
  ASSERT_EQ(joined.tensors.size(), 1U);
  EXPECT_TRUE(joined.tensors[0].is_list);
  EXPECT_FALSE(joined.tensors[0].may_be_absent);
  EXPECT_EQ(joined.tensors[0].tensors, (std::vector<std::int64_t>{0, 0}));
  const Call indexed = call_of("aten.index.Tensor", R"({"op": 0}, {"list": [null, {"op": 1}]})");
  EXPECT_TRUE(indexed.tensors[1].may_be_absent);
  EXPECT_EQ(indexed.tensors[1].tensors, (std::vector<std::int64_t>{-1, 1}));
}

TEST(CallArguments, WhatIsNotThereIsNoneWhereThatIsAllowed) {
  const Call normed =
      call_of("aten.native_layer_norm.default", R"({"op": 0}, {"list": [{"i": 4}]}, null, null, {"f": "1e-5"})");
  EXPECT_TRUE(normed.arguments[2].isNone());
  EXPECT_EQ(normed.tensors.size(), 1U);
  EXPECT_FALSE(call_of("aten.mm.default", R"({"op": 0}, null)").arguments[1].toTensor().defined());
  expect_refused("aten.transpose.int", R"({"op": 0}, null, {"i": 1})", "the operator wants int");
}

TEST(CallArguments, WhatDoesNotFitIsRefusedByName) {
  expect_refused("aten.relu.default", R"({"op": 0}, {"i": 1})", "it has 2 arguments, aten::relu takes 1");
  expect_refused("aten.transpose.int", R"({"op": 0}, {"i": 1})", "argument 'dim1' of aten::transpose is missing");
  expect_refused("aten.transpose.int", R"({"op": 0}, {"f": "1.5"}, {"i": 1})", "the operator wants a whole number");
  expect_refused("aten.transpose.int", R"({"op": 0}, {"x": 1}, {"i": 1})", "not an argument that is known");
  expect_refused("aten.sum.dim_IntList", R"({"op": 0}, {"list": [{"i": 0}]}, {"f": "1.0"})",
                 "'keepdim' cannot be that");
  expect_refused("aten.mm.default", R"({"op": 0}, {"s": "tanh"})", "is no word that 'mat2' may be");
  expect_refused("aten.cat.default", R"({"list": [{"op": 0}, {"i": 3}]})", "expected a tensor");
  expect_refused("aten.nothing_of_the_kind.default", R"({"op": 0})", "this libtorch has no operator");
  EXPECT_TRUE(refusal_of(call_text("aten.relu.default", R"({"op": 0}, {"i": 1})"))
                  .starts_with("'aten.relu.default': ops[2].args: "));
}

// An op of two outputs is no tensor: a getitem says which.
TEST(CallArguments, AnOutputOfSeveralMustBePicked) {
  CaptureText text;
  text.add("input", "f32 4 4")
      .add("aten.native_dropout.default", "f32 4 4;bool 4 4", R"("args": [{"op": 0}, {"f": "0.5"}, {"b": true}])");
  text.add("aten.relu.default", "f32 4 4", R"("args": [{"op": 1}])");
  EXPECT_NE(refusal_of(text.text()).find("op 1 has 2 outputs; a getitem must pick one"), std::string::npos);
}

TEST(Program, KnowsWhatOpsDoWithoutOperators) {
  CaptureText text;
  text.add("parameter", "f32 4")
      .add("input", "f32 4")
      .add("aten.detach.default", "f32 4", R"("args": [{"op": 1}], "view": true)");
  text.add("aten._assert_tensor_metadata.default", "", R"("args": [{"op": 1}])");
  text.add("aten.add.Tensor", "f32 4", R"("args": [{"op": 0}, {"op": 2}])");
  text.add("sgd_update", "", R"("args": [{"op": 0}, {"op": 4}], "updates": 0)");
  const SmallCapture capture = SmallCapture::read(text.text("4"));
  std::vector<CallKind> kinds;
  for (const OpId op : capture.graph.ops()) kinds.push_back(capture.program.call(op).kind);
  using enum CallKind;
  EXPECT_EQ(kinds, (std::vector<CallKind>{kStored, kStored, kSame, kNothing, kDispatch, kUpdate}));
  EXPECT_TRUE(capture.program.call(OpId{4}).is_repeatable());
  EXPECT_FALSE(capture.program.call(OpId{5}).is_repeatable()) << "it would be done twice";
  const at::Tensor parameter = at::ones({4}), input = at::full({4}, 2.0), gradient = at::full({4}, 100.0);
  const Inputs values{parameter, input, input, gradient};
  EXPECT_TRUE(capture.invoked(0, values).empty());
  EXPECT_TRUE(capture.invoked(3, values).empty());
  EXPECT_TRUE(capture.invoked(2, values).at(0).is_same(input)) << "under another name";
  EXPECT_TRUE(capture.invoked(4, values).at(0).equal(at::full({4}, 3.0)));
  EXPECT_TRUE(capture.invoked(5, values).empty());
  EXPECT_TRUE(at::allclose(parameter, at::full({4}, 0.99))) << "1 - 100 / 10,000";
}

TEST(Program, AnUpdateNeedsItsParameterFirst) {
  const auto refused = [](std::string_view args) {
    CaptureText text;
    text.add("parameter", "f32 4")
        .add("input", "f32 4")
        .add("sgd_update", "", fmt::format(R"("args": [{}], "updates": 0)", args));
    return refusal_of(text.text("1"));
  };
  EXPECT_EQ(refused(R"({"op": 0}, {"op": 1})"), "");
  for (const char* args : {R"({"op": 1}, {"op": 0})", R"({"op": 0})", R"({"op": 0}, {"op": 1}, {"op": 1})"}) {
    EXPECT_NE(refused(args).find("an sgd_update needs the args [parameter, gradient]"), std::string::npos) << args;
  }
}

TEST(Program, IsThatOfItsGraph) {
  CaptureText text;
  text.add("input", "f32 4");
  const std::string shorter = text.text();
  text.add("aten.relu.default", "f32 4", R"("args": [{"op": 0}])");
  const std::string longer = text.text();
  const auto too_long = Program::read(longer, parse_graph(shorter, "capture").value());
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().message, "ops[1]: the graph has fewer ops");
  const auto too_short = Program::read(shorter, parse_graph(longer, "capture").value());
  ASSERT_FALSE(too_short.ok());
  EXPECT_EQ(too_short.error().message, "the capture has fewer ops than its graph");
}

// In training these write into their running statistics, though their schema does not say so.
TEST(Program, StatisticsAreNotWrittenInSecret) {
  const auto error = [](std::string_view training, std::string_view statistics) {
    CaptureText text;
    text.add("input", "f32 2 3 4 4").add("buffer", "f32 3");
    text.add(
        "aten.native_batch_norm.default", "f32 2 3 4 4;f32 3;f32 3",
        fmt::format(R"("args": [{{"op": 0}}, null, null, {0}, {0}, {{"b": {1}}}, {{"f": "0.1"}}, {{"f": "1e-5"}}])",
                    statistics, training));
    return refusal_of(text.text());
  };
  EXPECT_NE(error("true", R"({"op": 1})").find("with training writes its running statistics in place"),
            std::string::npos);
  EXPECT_EQ(error("true", "null"), "") << "it has none";
  EXPECT_EQ(error("false", R"({"op": 1})"), "");
}

TEST(Invoke, GivesEveryOutputThatExists) {
  CaptureText text;
  text.add("input", "f32 4 2").add("input", "i64 2");
  text.add("aten.split.Tensor", "f32 3 2;f32 1 2", R"("args": [{"op": 0}, {"i": 3}], "view": true)");
  text.add("aten.index.Tensor", "f32 4 2", R"("args": [{"op": 0}, {"list": [null, {"op": 1}]}])");
  text.add("aten.cat.default", "f32 8 2", R"("args": [{"list": [{"op": 0}, {"op": 0}]}])");
  text.add("aten.zeros_like.default", "f32 4 2", R"("args": [{"op": 0}], "kwargs": {"device": {"device": "cuda:7"}})");
  const SmallCapture capture = SmallCapture::read(text.text());
  const at::Tensor x = at::arange(8, at::kFloat).view({4, 2});
  Inputs values(capture.graph.num_tensors());
  values[0] = x;
  values[1] = at::tensor({1, 0}, at::kLong);
  const auto parts = capture.invoked(2, values);
  ASSERT_EQ(parts.size(), 2U) << "a list is its tensors";
  EXPECT_TRUE(parts[0].equal(x.narrow(0, 0, 3)));
  EXPECT_TRUE(parts[1].equal(x.narrow(0, 3, 1)));
  EXPECT_TRUE(capture.invoked(3, values).at(0).equal(x.flip(1))) << "columns 1 and 0, all rows";
  EXPECT_EQ(capture.invoked(4, values).at(0).sizes(), at::IntArrayRef({8, 2}));
  EXPECT_TRUE(capture.invoked(5, values).at(0).is_cpu()) << "where the op runs";
}

// Of native_layer_norm and the like, some outputs exist; of dropout both. Equal seeds, equal numbers.
TEST(Invoke, DrawsFromTheSeedOfTheOp) {
  CaptureText text;
  text.add("input", "f32 32 32");
  text.add("aten.bernoulli.p", "f32 32 32", R"("args": [{"op": 0}, {"f": "0.5"}])");
  text.add("aten.rand_like.default", "f32 32 32", R"("args": [{"op": 0}])");
  text.add("aten.native_dropout.default", "f32 32 32;bool 32 32", R"("args": [{"op": 0}, {"f": "0.25"}, {"b": true}])");
  text.add("aten.relu.default", "f32 32 32", R"("args": [{"op": 0}])");
  const SmallCapture capture = SmallCapture::read(text.text());
  const Inputs values{at::ones({32, 32})};
  for (const std::size_t op : {1U, 2U, 3U}) {
    const at::Tensor first = capture.invoked(op, values, 5).at(0);
    (void)at::rand({100});  // the shared generator has gone on
    EXPECT_TRUE(capture.invoked(op, values, 5).at(0).equal(first)) << op;
    EXPECT_FALSE(capture.invoked(op, values, 6).at(0).equal(first)) << op;
  }
  EXPECT_TRUE(capture.program.call(OpId{1}).draws);
  EXPECT_FALSE(capture.program.call(OpId{4}).draws);
}

c10::FunctionSchema schema_of(const std::string& name, const std::string& overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str()).schema();
}

TEST(OperatorRules, KnowWhereTrainingIsSaid) {
  EXPECT_EQ(position_of_training(schema_of("aten::native_batch_norm")), 5U);
  EXPECT_EQ(position_of_training(schema_of("aten::instance_norm")), 5U);
  EXPECT_EQ(position_of_training(schema_of("aten::relu")), std::nullopt);
  EXPECT_EQ(position_of_training(schema_of("aten::rrelu")), std::nullopt) << "it writes no statistics";
}

TEST(OperatorRules, RefuseByTableThenByWhatIsWrittenThenByWhatIsTaken) {
  EXPECT_EQ(refusal("aten.relu.default", schema_of("aten::relu")), std::nullopt);
  EXPECT_EQ(refusal("aten.bernoulli.p", schema_of("aten::bernoulli", "p")), std::nullopt) << "its generator is ours";
  const auto unknown = refusal("aten.from_file.default", schema_of("aten::from_file"));
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->find("not among the operators"), std::string::npos);
  const auto writing = refusal("aten.relu_.default", schema_of("aten::relu_"));
  ASSERT_TRUE(writing);
  EXPECT_NE(writing->find("writes into its argument 'self'"), std::string::npos) << *writing;
}

}  // namespace
}  // namespace berth::exec
