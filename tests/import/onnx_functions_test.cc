// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_functions.h"

#include <gtest/gtest.h>

#include "import/onnx_parts.h"

namespace berth {
namespace {

using namespace onnx_test;

struct FunctionParts {
  std::string_view name;
  std::vector<std::string_view> inputs, outputs;
  std::vector<WireWriter> nodes = {};
};

WireWriter function(const FunctionParts& parts) {
  WireWriter message;
  message.bytes(1, parts.name).bytes(10, "mine");
  for (const std::string_view input : parts.inputs) message.bytes(4, input);
  for (const std::string_view output : parts.outputs) message.bytes(5, output);
  for (const WireWriter& inner : parts.nodes) message.message(7, inner);
  return message;
}

WireWriter call(const NodeParts& parts) { return node(parts).bytes(7, "mine"); }

// x [6, 4], calls, output y.
std::string model_of_calls(const std::vector<WireWriter>& calls, const std::vector<WireWriter>& functions) {
  WireWriter graph;
  graph.message(11, value("x", dims_of({6, 4})));
  for (const WireWriter& each : calls) graph.message(1, each);
  graph.message(12, WireWriter().bytes(1, "y"));
  WireWriter file;
  file.varint(1, 10).message(7, graph);
  for (const WireWriter& each : functions) file.message(25, each);
  return file.str();
}

TEST(OnnxFunctions, AreWrittenOut) {
  const auto twice = function({"Double", {"a"}, {"b"}, {node({"plus", "Add", {"a", "a"}, {"b"}})}});
  const Lowered lowered = lower_or_die(model_of_calls({call({"call", "Double", {"x"}, {"y"}})}, {twice}));
  EXPECT_NE(op_named(lowered.graph, "call/plus"), kNoOp);
  EXPECT_EQ(lowered.graph.source_nodes(), 1U);
}

TEST(OnnxFunctions, CallOthers) {
  const auto inner = function({"Inner", {"a"}, {"b"}, {node({"tanh", "Tanh", {"a"}, {"b"}})}});
  const auto outer =
      function({"Outer", {"a"}, {"c"}, {call({"one", "Inner", {"a"}, {"b"}}), call({"two", "Inner", {"b"}, {"c"}})}});
  const Graph graph = lower_or_die(model_of_calls({call({"call", "Outer", {"x"}, {"y"}})}, {outer, inner})).graph;
  EXPECT_EQ(graph.num_ops(), 3U);
  EXPECT_NE(op_named(graph, "call/one/tanh"), kNoOp);
  EXPECT_NE(op_named(graph, "call/two/tanh"), kNoOp);
}

// "perm" of the inner Transpose is "order" of the inner function, which is "how" of the outer one, which a call gives
// or the function has a default for.
TEST(OnnxFunctions, AttributesComeFromTheCallerOrTheDefault) {
  const auto inner =
      function({"Inner", {"a"}, {"b"}, {node({"turn", "Transpose", {"a"}, {"b"}, {reference("perm", "order")}})}});
  auto outer = function({"Outer", {"a"}, {"b"}, {call({"inner", "Inner", {"a"}, {"b"}, {reference("order", "how")}})}});
  outer.message(11, list("how", {0, 1}));
  const auto shape = [&](const std::vector<WireWriter>& attributes) {
    const auto bytes = model_of_calls({call({"call", "Outer", {"x"}, {"y"}, attributes})}, {inner, outer});
    return sizes_of_output(lower_or_die(bytes).graph, "call/inner/turn");
  };
  EXPECT_EQ(shape({list("how", {1, 0})}), (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(shape({}), (std::vector<std::int64_t>{6, 4})) << "the default";
}

TEST(OnnxFunctions, AttributesThatNobodyGivesAreLeftOut) {
  const auto turn =
      function({"Turn", {"a"}, {"b"}, {node({"t", "Transpose", {"a"}, {"b"}, {reference("perm", "how")}})}});
  const auto bytes = model_of_calls({call({"call", "Turn", {"x"}, {"y"}})}, {turn});
  EXPECT_EQ(sizes_of_output(lower_or_die(bytes).graph, "call/t"), (std::vector<std::int64_t>{4, 6})) << "reversed";
}

TEST(OnnxFunctions, OverloadsAreToldApart) {
  auto first = function({"Act", {"a"}, {"b"}, {node({"f", "Tanh", {"a"}, {"b"}})}});
  auto second = function({"Act", {"a"}, {"b"}, {node({"f", "Relu", {"a"}, {"b"}})}});
  second.bytes(13, "relu");
  const Graph graph =
      lower_or_die(model_of_calls({call({"call", "Act", {"x"}, {"y"}}).bytes(8, "relu")}, {second, first})).graph;
  EXPECT_EQ(graph.type(op_named(graph, "call/f")), "Relu");
}

TEST(OnnxFunctions, OptionalInputsMayBeLeftOut) {
  const auto clip =
      function({"Bound", {"a", "low", "high"}, {"b"}, {node({"clip", "Clip", {"a", "low", "high"}, {"b"}})}});
  const Graph graph = lower_or_die(model_of_calls({call({"call", "Bound", {"x"}, {"y"}})}, {clip})).graph;
  EXPECT_EQ(graph.inputs(op_named(graph, "call/clip")).size(), 1U);
}

TEST(OnnxFunctions, MayHaveNoNodesAndCallsNoNames) {
  const auto same = function({"Same", {"a"}, {"a"}});
  const auto twice = function({"Double", {"a"}, {"b"}, {node({"", "Add", {"a", "a"}, {"b"}})}});
  const auto bytes =
      model_of_calls({call({"", "Same", {"x"}, {"z"}}), call({"", "Double", {"z"}, {"y"}})}, {same, twice});
  EXPECT_EQ(lower_or_die(bytes).graph.num_ops(), 2U);
}

TEST(OnnxFunctions, MistakesAreNamed) {
  const auto self = function({"Self", {"a"}, {"b"}, {call({"again", "Self", {"a"}, {"b"}})}});
  const auto calls_self = std::vector{call({"call", "Self", {"x"}, {"y"}})};
  EXPECT_EQ(onnx_error(model_of_calls(calls_self, {self})), "function 'mine.Self' calls itself, or calls are too deep");
  const auto dangling = function({"Self", {"a"}, {"b"}, {node({"f", "Tanh", {"x"}, {"b"}})}});
  EXPECT_EQ(onnx_error(model_of_calls(calls_self, {dangling})), "node 'f' reads 'x', which nothing makes");
  const auto empty = function({"Self", {"a"}, {"b"}});
  EXPECT_EQ(onnx_error(model_of_calls(calls_self, {empty})), "function 'mine.Self' does not make its output 'b'");
}

// Thousands of attributes that stand for one long list of the caller's: a file of 34 KB would take 64 MB.
TEST(OnnxFunctions, AttributesOfTheCallerCountAsWrittenOut) {
  const auto numbers = list("how", std::vector<std::int64_t>(4000, 1));
  std::vector<WireWriter> references(2000, reference("perm", "how"));
  const auto greedy = function({"Greedy", {"a"}, {"b"}, {node({"t", "Transpose", {"a"}, {"b"}, references})}});
  const auto calls = std::vector{call({"call", "Greedy", {"x"}, {"y"}, {numbers}})};
  EXPECT_EQ(onnx_error(model_of_calls(calls, {greedy})),
            "function 'mine.Greedy' and those it calls are too large when written out; inline fewer of them");
}

// Each of ten functions calls the next ten times: 10^10 nodes out of a small file.
TEST(OnnxFunctions, DoNotGrowWithoutBound) {
  std::vector<std::string> names;
  for (int i = 0; i <= 10; ++i) names.push_back(fmt::format("F{}", i));
  std::vector<WireWriter> functions;
  for (int i = 0; i < 10; ++i) {
    FunctionParts parts{names[i], {"a"}, {"b"}};
    for (int k = 0; k < 10; ++k) parts.nodes.push_back(call({"", names[i + 1], {"a"}, {k == 0 ? "b" : ""}}));
    functions.push_back(function(parts));
  }
  functions.push_back(function({names[10], {"a"}, {"a"}}));
  const std::string error = onnx_error(model_of_calls({call({"call", "F0", {"x"}, {"y"}})}, functions));
  EXPECT_NE(error.find("are too large when written out"), std::string::npos) << error;
}

}  // namespace
}  // namespace berth
