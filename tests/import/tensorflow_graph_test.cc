// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/tensorflow_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "import/parts.h"
#include "import/tensorflow_sample.h"
#include "model/small_model.h"
#include "support/wire_writer.h"

namespace berth::tensorflow {
namespace {

using std::string_literals::operator""s;

// A layer of TensorFlow 1 with everything around it: initialiser, saver, a placeholder of unknown batch.
std::string layer() {
  return placeholder("x", "[?,3]") + node("w", "VariableV2", "", "dtype:f32 shape:[3,4]", "/device:GPU:1") +
         constant("w/shape", "3,4") + node("w/random", "RandomUniform", "w/shape", "dtype:f32 T:i32") +
         node("w/Assign", "Assign", "w w/random", "T:f32 _class:@w") +
         node("w/read", "Identity", "w", "T:f32 _class:@w") +
         node("y", "MatMul", "x w/read", "T:f32", "/device:GPU:0") + node("act", "Relu", "y", "T:f32") +
         node("init", "NoOp", "^w/Assign") + constant("save/name") +
         node("save/SaveV2", "SaveV2", "save/name save/name save/name w") +
         node("save/done", "Identity", "save/name ^save/SaveV2", "T:f32") +
         node("save/restore", "RestoreV2", "save/name save/name save/name") +
         node("save/Assign", "Assign", "w save/restore", "T:f32") + node("save/all", "NoOp", "^save/Assign");
}

TEST(TensorFlow, ReadsALayerAndLeavesOutWhatIsNoStep) {
  TensorFlowReport report;
  const Model model = read_text(layer(), {}, &report);
  EXPECT_EQ(describe(model),
            "input x f32[batch,3]\n"
            "parameter w f32[3,4] @/device:GPU:1\n"
            "w/read Identity(w) [3,4] =w @/device:GPU:1\n"
            "y MatMul(x, w/read) [batch,4] @/device:GPU:0\n"
            "act Relu(y) [batch,4]\n");
  EXPECT_EQ(outputs_of(model), "act");
  EXPECT_EQ(model.title, "toy");
  EXPECT_EQ(model.dialect, Dialect::kTensorFlow);
  EXPECT_EQ(model.source_nodes, 15U);
  EXPECT_EQ(model.source_edges, 13U) << "a node that reads a tensor twice counts once, control inputs not at all";
  EXPECT_EQ(report.left_out,
            (std::map<std::string, std::size_t>{
                {"initialising", 2}, {"only needed by what is left out", 6}, {"saving and restoring", 2}}));
}

TEST(TensorFlow, AttributesGoIntoTheGraph) {
  const std::string text = placeholder("x", "[2,3]") + placeholder("w", "[4,3]") +
                           node("y", "MatMul", "x w", "T:f32 transpose_b:true _class:@w");
  const auto lowered = lower(read_text(text));
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->graph.attributes(op_named(lowered->graph, "y")), "T = f32\ntranspose_b = 1");
}

// A float constant of 3 x 4 in place of the variable: what freezing makes of it. One number alone is no weight.
TEST(TensorFlow, TheWeightsOfAFrozenGraphAreParameters) {
  const std::string w =
      "node { name: 'w' op: 'Const' attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 "
      "} "
      "dim { size: 4 } } } } } }\n";
  const std::string rest = node("w/read", "Identity", "w", "T:f32") + node("y", "MatMul", "x w/read", "T:f32") +
                           constant("one") + node("z", "Mul", "y one", "T:f32");
  const Model frozen = read_text(placeholder("x", "[2,3]") + w + rest);
  EXPECT_TRUE(describe(frozen).starts_with("input x f32[2,3]\nparameter w f32[3,4]\nconstant one f32[]\n"))
      << describe(frozen);
  EXPECT_EQ(frozen.leaves[1].label, "w");
  const Model trained =
      read_text(placeholder("x", "[2,3]") + w + rest + node("v", "VariableV2", "", "dtype:f32 shape:[2,4]") +
                node("s", "Add", "z v", "T:f32"));
  EXPECT_NE(describe(trained).find("constant w f32[3,4]"), std::string::npos) << "its parameters are variables";
}

TEST(TensorFlow, OutputsSayWhatTheStepIs) {
  TensorFlowReport report;
  Model model = read_text(layer(), {.outputs = {"y:0"}}, &report);
  EXPECT_EQ(outputs_of(model), "y");
  EXPECT_EQ(model.nodes.size(), 2U);
  EXPECT_EQ(report.left_out, (std::map<std::string, std::size_t>{{"not needed by the outputs", 11}}));
  model = read_text(layer(), {.outputs = {"^init"}});
  EXPECT_EQ(describe(model).substr(0, 9), "parameter");
  EXPECT_EQ(model.nodes.back().name, "init");
  EXPECT_EQ(outputs_of(model), "");
  EXPECT_EQ(error_of(layer(), {.outputs = {"nothing_like_it"}}),
            "the graph has no node \"nothing_like_it\", which is wanted as an output");
  EXPECT_EQ(error_of(layer(), {.outputs = {"atc"}}),
            "the graph has no node \"atc\", which is wanted as an output; did you mean 'act'?");
}

TEST(TensorFlow, SizesOfUnknownDimensionsComeFromTheUser) {
  const Model model = read_text(layer(), {}, nullptr, {{"batch", 16}});
  EXPECT_EQ(shape_text(model.values[model.outputs[0]]), "[16,4]");
}

WireWriter attr(std::string_view key, const WireWriter& value) { return WireWriter().bytes(1, key).message(2, value); }
WireWriter type_attr(std::string_view key, std::uint64_t type) { return attr(key, WireWriter().varint(6, type)); }
WireWriter shape(std::initializer_list<std::int64_t> sizes) {
  WireWriter writer;
  for (const std::int64_t size : sizes) writer.message(2, WireWriter().varint(1, static_cast<std::uint64_t>(size)));
  return writer;
}

// x -> a (a constant of raw bytes tells its shape) -> b, with the shape of b from the file.
WireWriter small_graph() {
  const WireWriter tensor = WireWriter().varint(1, 3).message(2, shape({2})).bytes(4, "\x06\0\0\0\xff\xff\xff\xff"s);
  const WireWriter shapes = WireWriter().message(1, WireWriter().message(7, shape({6, -1})));
  WireWriter graph;
  graph.message(1, WireWriter()
                       .bytes(1, "x")
                       .bytes(2, "Placeholder")
                       .message(5, type_attr("dtype", 1))
                       .message(5, attr("shape", WireWriter().message(7, shape({3, 4})))));
  graph.message(
      1, WireWriter().bytes(1, "s").bytes(2, "Const").message(5, attr("value", WireWriter().message(8, tensor))));
  graph.message(
      1, WireWriter().bytes(1, "a").bytes(2, "Reshape").bytes(3, "x").bytes(3, "s:0").message(5, type_attr("T", 1)));
  graph.message(1, WireWriter()
                       .bytes(1, "b")
                       .bytes(2, "Mystery")
                       .bytes(3, "a")
                       .bytes(3, "^x")
                       .bytes(4, "/cpu:0")
                       .message(5, attr("_output_shapes", shapes)));
  return graph;
}

TEST(TensorFlow, ReadsBinaryGraphs) {
  const auto model = with_shapes(read_tensorflow_graph(small_graph().str(), "toy"));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(describe(*model),
            "input x f32[3,4]\n"
            "constant s i32[2]\n"
            "a Reshape(x, s) [6,2]\n"
            "b Mystery(a) [6,?] @/cpu:0\n");
  EXPECT_EQ(model->values[1].contents, (std::vector<std::int64_t>{6, -1}));
  EXPECT_EQ(model->source_edges, 3U);
}

WireWriter signature(std::string_view tensor) {
  const WireWriter output = WireWriter().bytes(1, "result").message(2, WireWriter().bytes(1, tensor));
  return WireWriter().message(2, output);
}
WireWriter meta_graph(std::string_view tag) {
  return WireWriter()
      .message(1, WireWriter().bytes(4, tag).bytes(5, "2.15.0"))
      .message(2, small_graph())
      .message(5, WireWriter().bytes(1, "serving_default").message(2, signature("a:0")))
      .message(5, WireWriter().bytes(1, "all").message(2, signature("b:0")));
}

TEST(TensorFlow, ReadsMetaGraphsAndSavedModels) {
  const std::string meta = meta_graph("serve").str();
  EXPECT_EQ(outputs_of(*read_tensorflow_graph(meta, "toy")), "a");
  EXPECT_EQ(outputs_of(*read_tensorflow_graph(meta, "toy", {.signature = "all"})), "b");
  EXPECT_EQ(read_tensorflow_graph(meta, "toy", {.signature = "al"}).error().message,
            "there is no signature 'al'; did you mean 'all'?; the file has: all, serving_default");
  const std::string saved =
      WireWriter().varint(1, 1).message(2, meta_graph("train")).message(2, meta_graph("serve")).str();
  EXPECT_EQ(outputs_of(*read_tensorflow_graph(saved, "toy")), "a");
  EXPECT_TRUE(read_tensorflow_graph(saved, "toy", {.tag = "train"}));
  EXPECT_EQ(read_tensorflow_graph(saved, "toy", {.tag = "gpu"}).error().message,
            "no graph of the saved model has the tag 'gpu'; they have: train, serve");
  EXPECT_EQ(read_tensorflow_graph(WireWriter().varint(1, 1).str(), "toy").error().message,
            "the saved model has no graph");
  EXPECT_EQ(read_tensorflow_graph(meta, "toy", {.tag = "train"}).error().message,
            "the graph does not have the tag 'train'; it has: serve");
  EXPECT_EQ(read_tensorflow_graph(small_graph().str(), "toy", {.tag = "serve"}).error().message,
            "the graph does not have the tag 'serve'; it has: none");
  EXPECT_EQ(read_tensorflow_graph(small_graph().str(), "toy", {.signature = "all"}).error().message,
            "there is no signature 'all': the file is a bare graph; name its output nodes instead");
  const std::string text = fmt::format("saved_model_schema_version: 1 meta_graphs {{ graph_def {{ {} }} }}", layer());
  EXPECT_EQ(outputs_of(read_text(text)), "act");
  EXPECT_EQ(outputs_of(read_text(fmt::format("meta_info_def {{ tags: 'x' }} graph_def {{ {} }}", layer()))), "act");
}

// One step of gradient descent on a resource variable, as TensorFlow 2 has it.
TEST(TensorFlow, ResourceVariablesAreReadAndUpdated) {
  const std::string graph =
      node("w", "VarHandleOp", "", "dtype:f32 shape:[5] shared_name:'dense/kernel'") + constant("zero", "0") +
      node("w/Assign", "AssignVariableOp", "w zero", "dtype:f32") + node("w/Read", "ReadVariableOp", "w", "dtype:f32") +
      node("read", "ReadVariableOp", "w", "dtype:f32") + constant("rate") +
      node("gradients/dense/Square_grad/Mul", "Mul", "read read", "T:f32") +
      node("sgd", "ResourceApplyGradientDescent", "w rate gradients/dense/Square_grad/Mul", "T:f32") +
      node("train", "NoOp", "^sgd");
  const Model model = read_text(graph);
  EXPECT_EQ(describe(model),
            "parameter w f32[5]\n"
            "constant rate f32[]\n"
            "read ReadVariableOp(w) [5]\n"
            "gradients/dense/Square_grad/Mul Mul(read, read) [5]\n"
            "sgd ResourceApplyGradientDescent(w, rate, gradients/dense/Square_grad/Mul)\n"
            "train NoOp() ^sgd\n");
  EXPECT_EQ(model.leaves[0].label, "dense/kernel");
  EXPECT_EQ(model.nodes[1].module, "dense");
  EXPECT_TRUE(model.outputs.empty()) << "an update is no result";
}

TEST(TensorFlow, TheStepKeepsAnAssignmentWhoseValueItReads) {
  const std::string graph = node("v", "VariableV2", "", "dtype:f32 shape:[2]") + placeholder("x", "[2]") +
                            constant("c") + node("set", "Assign", "v c", "T:f32") + node("y", "Add", "set x", "T:f32");
  EXPECT_EQ(describe(read_text(graph)),
            "parameter v f32[2]\n"
            "input x f32[2]\n"
            "constant c f32[]\n"
            "set Assign(v, c) [2]\n"
            "y Add(set, x) [2]\n");
}

TEST(TensorFlow, IteratorsAreInputsAndWhatIsBehindThemIsNot) {
  const std::string get =
      "node { name: 'next' op: 'IteratorGetNext' input: 'iterator' attr { key: 'output_types' value { list "
      "{ type: [DT_INT32, DT_FLOAT] } } } attr { key: 'output_shapes' value { list { shape { dim { size: "
      "128 } } shape { unknown_rank: true } } } } }\n";
  TensorFlowReport report;
  const Model model =
      read_text(constant("c", "1") + node("data", "TensorDataset", "c") + node("iterator", "OneShotIterator") + get +
                    node("handle", "IteratorToStringHandle", "iterator") + node("y", "Neg", "next", "T:i32"),
                {}, &report);
  EXPECT_EQ(describe(model),
            "input next i32[128]\n"
            "input next:1 f32[...]\n"
            "y Neg(next) [128]\n");
  EXPECT_EQ(report.left_out.at("input pipeline"), 3U);
}

TEST(TensorFlow, ColocatedNodesShareAGroupAndADevice) {
  const std::string graph = node("anchor", "NoOp", "", "", "/device:GPU:2") + placeholder("x", "[4]") +
                            node("a", "Neg", "x", "T:f32 _class:@anchor") + node("b", "Neg", "a", "T:f32 _class:@a") +
                            node("c", "Neg", "b", "T:f32 _class:@gone", "/device:GPU:1") +
                            node("d", "Neg", "c", "T:f32 _class:@gone") + node("e", "Neg", "d", "T:f32 _class:@e");
  EXPECT_EQ(describe(read_text(graph)),
            "input x f32[4]\n"
            "a Neg(x) [4] =anchor @/device:GPU:2\n"
            "b Neg(a) [4] =anchor @/device:GPU:2\n"
            "c Neg(b) [4] =c @/device:GPU:1\n"
            "d Neg(c) [4] =c @/device:GPU:1\n"
            "e Neg(d) [4]\n");
}

TEST(TensorFlow, VariablesAndConstantsShareTheGroupsOfTheirReaders) {
  const std::string graph = node("w", "VariableV2", "", "dtype:f32 shape:[4]") + constant("c") +
                            node("x", "Placeholder", "", "dtype:f32 shape:[4] _class:@w") +
                            node("read", "Identity", "w", "T:f32 _class:@w") + node("y", "Mul", "read x", "T:f32") +
                            node("z", "Mul", "y c", "T:f32");
  std::map<std::string, std::string> group_of;
  const Model model = read_text(graph);
  for (const Leaf& leaf : model.leaves) group_of[model.values[leaf.value].name] = leaf.colocate;
  EXPECT_EQ(group_of, (std::map<std::string, std::string>{{"w", "w"}, {"x", ""}, {"c", ""}}))
      << "inputs come from the host, whatever they are colocated with";
}

TEST(TensorFlow, LoopsAreCutAtNextIteration) {
  const std::string graph = placeholder("x", "[4]") + constant("n") +
                            node("enter", "Enter", "x", "T:f32 frame_name:'f'") +
                            node("merge", "Merge", "enter next", "T:f32") + node("less", "Less", "merge n", "T:f32") +
                            node("cond", "LoopCond", "less") + node("switch", "Switch", "merge cond", "T:f32") +
                            node("body", "Neg", "switch:1", "T:f32") + node("next", "NextIteration", "body", "T:f32") +
                            node("exit", "Exit", "switch", "T:f32") + node("y", "Neg", "exit", "T:f32");
  TensorFlowReport report;
  const Model model = read_text(graph, {.trip_count = 7}, &report);
  EXPECT_EQ(describe(model),
            "input x f32[4]\n"
            "constant n f32[]\n"
            "enter Enter(x) [4]\n"
            "merge Merge(enter) [4] []\n"
            "less Less(merge, n) [4]\n"
            "cond LoopCond(less) [4]\n"
            "switch Switch(merge, cond) [4] [4]\n"
            "body Neg(switch:1) [4]\n"
            "next NextIteration(body) [4]\n"
            "exit Exit(switch) [4]\n"
            "y Neg(exit) [4]\n");
  EXPECT_EQ(outputs_of(model), "y");
  EXPECT_EQ(report.loops, std::vector<std::string>{"cond"});
  EXPECT_EQ(report.loop_nodes, 8U);
  EXPECT_EQ(report.trip_count, 7);
  std::map<std::string, std::int64_t> trips;
  for (const Node& node : model.nodes) trips[node.name] = node.integer("_trip_count", 1);
  EXPECT_EQ(trips.at("body"), 7);
  EXPECT_EQ(trips.at("enter"), 7);
  EXPECT_EQ(trips.at("y"), 1);
  EXPECT_EQ(read_text(graph).nodes[5].find<std::int64_t>("_trip_count"), nullptr) << "once, unless stated";
  EXPECT_EQ(error_of(graph, {.trip_count = 0}), "a loop runs 0 times; expected 1 or more");
}

TEST(TensorFlow, MistakesAreNamed) {
  EXPECT_EQ(error_of(node("a", "Neg", "b")), "node 'a': its input \"b\" does not exist");
  EXPECT_EQ(error_of(node("a", "Neg", "^b")), "node 'a': its input \"b\" does not exist");
  EXPECT_EQ(error_of(node("a", "Neg", "a:x")), "node 'a': its input \"a:x\" does not exist");
  EXPECT_EQ(error_of(node("a", "Neg", "a:99999999999")), "node 'a': its input \"a:99999999999\" does not exist");
  EXPECT_EQ(error_of(node("a", "Neg", "a")), "node 'a' depends on itself, and no NextIteration cuts the cycle");
  EXPECT_EQ(error_of(node("c", "Neg", "b") + node("a", "Neg", "^b") + node("b", "Neg", "a")).substr(8),
            " depends on itself, and no NextIteration cuts the cycle");
  EXPECT_EQ(error_of(node("a", "NoOp") + node("a", "NoOp")), "two nodes are named 'a'");
  EXPECT_EQ(error_of(node("a", "NoOp") + node("b", "Neg", "^a a")),
            "node 'b': it has a data input behind a control input");
  EXPECT_EQ(error_of(node("", "NoOp")), "a node has no name");
  EXPECT_EQ(error_of("node { name: 'a\\nb' op: 'NoOp' }"), "a node is named \"a?b\": no printable word");
  EXPECT_EQ(error_of(node("a", "")), "node 'a': its op is \"\": no printable word");
  EXPECT_EQ(error_of("versions { producer: 22 }"), "the graph has no nodes");
  EXPECT_EQ(error_of("ir_version: 3"),
            "no GraphDef, MetaGraphDef or SavedModel in text format: it begins with \"ir_version\"");
  std::string wide = placeholder("x", "[2]");
  for (const std::string_view name : {"a", "b", "c", "d", "e"}) {
    wide +=
        node(name, "Neg", "x", "T:f32") + node(fmt::format("{}2", name), "Neg", fmt::format("{}:65000", name), "T:f32");
  }
  EXPECT_NE(error_of(wide).find("far too many for a graph of 11 nodes"), std::string::npos);
}

TEST(TensorFlow, DamagedBytesAreRefused) {
  const std::string bytes = small_graph().str();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto model = read_tensorflow_graph(std::string_view(bytes).substr(0, length), "toy");
    EXPECT_TRUE(model || !model.error().message.empty());
  }
  EXPECT_FALSE(read_tensorflow_graph("", "toy"));
  EXPECT_FALSE(read_tensorflow_graph("not a graph at all", "toy"));
}

// Whatever is done to a file, its reader takes it or refuses it in one line.
TEST(TensorFlow, SurvivesMutations) {
  const std::string saved = WireWriter().varint(1, 1).message(2, meta_graph("serve")).str();
  Rng rng(4);
  for (int round = 0; round < 10'000; ++round) {
    std::string bytes = round % 2 == 0 ? saved : layer();
    for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
      const std::size_t at = rng.below(bytes.size());
      const std::size_t length = 1 + rng.below(8);
      if (rng.chance(0.5)) {
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
      } else if (rng.chance(0.5)) {
        bytes.erase(at, length);
      } else {
        bytes.insert(rng.below(bytes.size()), std::string(bytes, at, length));
      }
    }
    const auto model =
        with_shapes(round % 2 == 0 ? read_tensorflow_graph(bytes, "toy") : read_tensorflow_graph_text(bytes, "toy"));
    ASSERT_TRUE(model || model.error().message.find('\n') == std::string::npos) << model.error().message;
  }
}

TEST(TensorFlowSet, GnmtIsAsItsReadmeSays) {
  const auto files = data_files("baechi_tf", "graphdef.pb");
  if (files.empty()) GTEST_SKIP() << "no baechi_tf in the data folder (BERTH_DATA)";
  TensorFlowReport report;
  const auto bytes = read_file(files.front());
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto model = with_shapes(read_tensorflow_graph(*bytes, "gnmt", {}, &report));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->source_nodes, 2828U);
  EXPECT_EQ(model->source_edges, 4505U);
  EXPECT_EQ(count_unknown_shapes(*model), 0U);
  EXPECT_TRUE(report.loops.empty());
  EXPECT_EQ(report.left_out.at("initialising"), 24U);
  std::map<std::string, std::size_t> by_type, by_device;
  for (const Node& node : model->nodes) {
    ++by_type[node.type];
    ++by_device[node.device];
  }
  EXPECT_EQ(by_type.at("LSTMBlockCell"), 360U);
  EXPECT_EQ(by_type.at("BatchMatMul"), 40U);
  EXPECT_EQ(by_type.count("NoOp") + by_type.count("Assign") + by_type.count("RandomUniform"), 0U);
  EXPECT_EQ(by_device.size(), 5U) << "four GPUs, and no device";
  EXPECT_EQ(outputs_of(*model), "loss/truediv");
  std::size_t parameters = 0;
  for (const Leaf& leaf : model->leaves) parameters += leaf.role == Role::kParameter ? 1 : 0;
  EXPECT_EQ(parameters, 24U);
}

std::int64_t bytes_of(const Value& value) {
  std::int64_t bytes = bits_of(*value.dtype) / 8;
  for (const Dim& dim : *value.shape) bytes *= dim.size;
  return bytes;
}

// The file has no shapes, but somebody measured how many bytes its ops allocate, in units of 256 bytes.
TEST(TensorFlowSet, GnmtAllocatesWhatItsShapesSay) {
  const auto files = data_files("baechi_tf", "graphdef.pb"), costs = data_files("baechi_tf", "costs.json");
  if (files.empty() || costs.empty()) GTEST_SKIP() << "no baechi_tf in the data folder (BERTH_DATA)";
  const auto model = with_shapes(read_tensorflow_graph(*read_file(files.front()), "gnmt"));
  ASSERT_TRUE(model) << model.error().message;
  std::map<std::string, const Node*, std::less<>> by_name;
  for (const Node& node : model->nodes) by_name[node.name] = &node;
  auto document = JsonDocument::open(*read_file(costs.front()));
  ASSERT_TRUE(document) << document.error().message;
  std::size_t outputs = 0, exact = 0;
  const Status read = document->for_each("nodes", [&](const JsonValue& item) -> Status {
    const auto cost = item.find("cost");
    const auto node = by_name.find(*item.find("name")->string());
    if (!cost || node == by_name.end()) return {};
    std::size_t i = 0;
    return cost->find("output_bytes")->for_each([&](const JsonValue& number) -> Status {
      BERTH_TRY(const std::int64_t measured, number.integer());
      const std::int64_t ours = bytes_of(model->values[node->second->outputs.at(i++)]);
      if (measured == 0) return {};  // it shares the memory of its input
      EXPECT_LE(ours, measured) << node->first;
      ++outputs;
      if (measured < ours + 256) ++exact;
      return {};
    });
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(outputs, 3562U);
  EXPECT_GT(exact, outputs * 4 / 5) << "the others got a larger piece of memory";
}

}  // namespace
}  // namespace berth::tensorflow
