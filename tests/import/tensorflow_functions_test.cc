// SPDX-License-Identifier: Apache-2.0
// Calls of functions, and loops and branches that are functions.
#include <gtest/gtest.h>

#include "import/tensorflow_sample.h"

namespace berth::tensorflow {
namespace {

const std::string kX = placeholder("x", "[2,3]");

TEST(TensorFlowFunctions, CallsAreInlined) {
  const std::string f =
      function({"f", "a b", "twice=mul:z:0 same=b",
                body_node("neg", "Neg", "a", "T:f32") + body_node("mul", "Mul", "neg:y:0 b", "T:f32")});
  const std::string expected =
      "input x f32[2,3]\n"
      "call/neg Neg(x) [2,3]\n"
      "call/mul Mul(call/neg, x) [2,3]\n"
      "y Add(call/mul, x) [2,3]\n";
  TensorFlowReport report;
  EXPECT_EQ(describe(read_text(
                f + kX + node("call", "PartitionedCall", "x x", "f:$f") + node("y", "Add", "call call:1", "T:f32"), {},
                &report)),
            expected);
  EXPECT_EQ(report.inlined_calls, 1U);
  EXPECT_EQ(describe(read_text(f + kX + node("call", "f", "x x") + node("y", "Add", "call call:1", "T:f32"))), expected)
      << "an op that is named after a function";
  EXPECT_EQ(describe(read_text(f + node("y", "Add", "call call:1", "T:f32") + node("call", "f", "x x") + kX)).size(),
            expected.size())
      << "in any order";
}

TEST(TensorFlowFunctions, CallsNestAndPassTheirAttributesOn) {
  const std::string inner = function({"inner", "a", "r=cast:y:0", body_node("cast", "Mystery", "a")});
  std::string outer = function({"outer", "a", "r=one:r:0", body_node("one", "inner", "a")});
  // The type of the inner node is a placeholder for the type that the outer call states.
  std::string text = inner + outer + kX + node("call", "outer", "x", "T:i32") + node("y", "Neg", "call", "T:f32");
  const std::size_t cast = text.find("op: 'Mystery'");
  text.insert(cast, "attr { key: 'dtype' value { placeholder: 'U' } } ");
  text.insert(text.find("op: 'inner'"), "attr { key: 'U' value { placeholder: 'T' } } ");
  const Model model = read_text(text);
  EXPECT_EQ(model.nodes.front().name, "call/one/cast");
  EXPECT_EQ(model.values[model.nodes.front().outputs[0]].dtype, DType::kI32);
}

TEST(TensorFlowFunctions, OutputsAreFoundByTheirNames) {
  const std::string f = function({"f", "a", "r=top:indices:0 s=odd:second:0 t=odd:first:0",
                                  body_node("top", "TopKV2", "a a") + body_node("odd", "Oddity", "a")});
  const Model model = read_text(f + kX + node("call", "f", "x") + node("y", "AddN", "call call:1 call:2", "T:f32"));
  std::string inputs;
  for (const ValueIndex value : model.nodes.back().inputs) inputs += fmt::format("{} ", model.values[value].name);
  EXPECT_EQ(inputs, "call/top:1 call/odd call/odd:1 ") << "of unknown ops in the order in which they turn up";
}

TEST(TensorFlowFunctions, ControlGoesThroughCalls) {
  const std::string f =
      function({"f", "a", "r=neg:y:0",
                body_node("neg", "Neg", "a", "T:f32") + body_node("log", "Print", "neg:y:0", "T:f32"), "log"});
  const Model model = read_text(f + kX + node("before", "Neg", "x", "T:f32") + node("call", "f", "x ^before") +
                                node("after", "Neg", "x ^call", "T:f32"));
  EXPECT_EQ(describe(model),
            "input x f32[2,3]\n"
            "before Neg(x) [2,3]\n"
            "call/neg Neg(x) [2,3] ^before\n"
            "call/log Print(call/neg) [2,3]\n"
            "after Neg(x) [2,3] ^call/neg ^call/log\n");
}

TEST(TensorFlowFunctions, DevicesAndGroupsAreThoseOfTheCall) {
  const std::string f = function(
      {"f", "a", "r=two:y:0",
       body_node("one", "Neg", "a", "T:f32") + body_node("two", "Neg", "one:y:0", "T:f32 _class:@one", "/gpu:1")});
  EXPECT_EQ(describe(read_text(f + kX + node("call", "f", "x", "", "/gpu:0"))),
            "input x f32[2,3]\n"
            "call/one Neg(x) [2,3] =call/one @/gpu:0\n"
            "call/two Neg(call/one) [2,3] =call/one @/gpu:1\n");
}

TEST(TensorFlowFunctions, WhileStandsForOneTrip) {
  const std::string functions = function({"body", "a", "r=neg:y:0", body_node("neg", "Neg", "a", "T:f32")}) +
                                function({"cond", "a", "r=sum:output:0", body_node("sum", "Mystery", "a")});
  TensorFlowReport report;
  const Model model = read_text(
      functions + kX + node("loop", "StatelessWhile", "x", "body:$body cond:$cond") + node("y", "Neg", "loop", "T:f32"),
      {.trip_count = 5}, &report);
  EXPECT_EQ(describe(model),
            "input x f32[2,3]\n"
            "loop/neg Neg(x) [2,3]\n"
            "loop/cond/sum Mystery(x) [...]\n"
            "y Neg(loop/neg) [2,3]\n");
  EXPECT_EQ(report.loops, std::vector<std::string>{"loop"});
  EXPECT_EQ(report.loop_nodes, 2U);
  EXPECT_EQ(model.nodes[0].integer("_trip_count", 1), 5);
  EXPECT_EQ(model.nodes[2].integer("_trip_count", 1), 1);
}

TEST(TensorFlowFunctions, OfAnIfTheLargerBranchIsTaken) {
  const std::string functions =
      function({"yes", "a", "r=a", ""}) + function({"no", "a", "r=neg:y:0", body_node("neg", "Neg", "a", "T:f32")});
  TensorFlowReport report;
  const Model model =
      read_text(functions + kX + placeholder("p", "[]") + node("if", "If", "p x", "then_branch:$yes else_branch:$no") +
                    node("y", "Neg", "if", "T:f32"),
                {}, &report);
  EXPECT_EQ(model.nodes.front().name, "if/neg");
  EXPECT_EQ(report.chosen_branches, (std::map<std::string, std::string>{{"if", "no"}}));
}

TEST(TensorFlowFunctions, WhatCannotBeInlinedIsRefusedByName) {
  const std::string f = function({"f", "a", "r=a", ""});
  EXPECT_EQ(error_of(kX + node("c", "PartitionedCall", "x", "f:$g")),
            "node 'c': it calls function \"g\", which the file does not have");
  EXPECT_EQ(error_of(f + kX + node("c", "f", "x x")), "node 'c': function 'f' takes 1 inputs, it gets 2");
  EXPECT_EQ(error_of(f + kX + node("c", "f", "x") + node("y", "Neg", "c:3")),
            "node 'y': it takes output 3 of 'c', but function 'f' has 1");
  EXPECT_EQ(error_of(f + kX + node("c", "SymbolicGradient", "x", "f:$f")),
            "node 'c': SymbolicGradient calls a function (\"f\"), which cannot be inlined; freeze or export the model "
            "without it");
  EXPECT_EQ(error_of(f + f + kX), "two functions are named 'f'");
  const std::string list = "library { function { signature { name: 'l' input_arg { name: 'a' number_attr: 'N' } } } }";
  EXPECT_EQ(error_of(list + kX + node("c", "l", "x")),
            "node 'c': it calls function 'l', which takes or gives a list: it cannot be inlined; freeze or export the "
            "model without it");
  EXPECT_EQ(error_of(function({"f", "a", "r=b:y:0", ""}) + kX + node("c", "f", "x") + node("y", "Neg", "c")),
            "node 'y': its input \"b:y:0\" does not exist");
  EXPECT_EQ(error_of(f + kX + node("c", "f", "c") + node("y", "Neg", "c")),
            "node 'y': its input goes through too many calls");
}

TEST(TensorFlowFunctions, RecursionAndExplosionsEnd) {
  const std::string self = function({"f", "a", "r=c:r:0", body_node("c", "f", "a")});
  EXPECT_NE(error_of(self + kX + node("c", "f", "x")).find("nested more than 64 deep"), std::string::npos);
  std::string doubling = function({"f0", "a", "r=n:y:0", body_node("n", "Neg", "a")});
  for (int i = 1; i <= 40; ++i) {
    const std::string name = fmt::format("f{}", i), callee = fmt::format("f{}", i - 1);
    doubling += function({name, "a", "r=q:r:0", body_node("p", callee, "a") + body_node("q", callee, "p:r:0")});
  }
  EXPECT_NE(error_of(doubling + kX + node("c", "f40", "x")).find("makes more than 200000 nodes and edges"),
            std::string::npos);
  EXPECT_NE(error_of(doubling + kX + node("c", "f3", "x"), {.max_inlined_nodes = 10}).find("more than 10 nodes"),
            std::string::npos);
  EXPECT_EQ(read_text(doubling + kX + node("c", "f3", "x")).nodes.size(), 8U);
}

TEST(TensorFlowFunctions, WhatOutputsDoNotNeedNeedNotBeUnderstood) {
  const std::string graph = kX + node("c", "PartitionedCall", "x", "f:$gone") + node("y", "Neg", "x", "T:f32");
  EXPECT_NE(error_of(graph), "fine");
  EXPECT_EQ(read_text(graph, {.outputs = {"y"}}).nodes.size(), 1U);
}

}  // namespace
}  // namespace berth::tensorflow
