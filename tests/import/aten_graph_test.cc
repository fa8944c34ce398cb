// SPDX-License-Identifier: Apache-2.0
#include "import/aten/aten_graph.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "format/native_graph.h"
#include "import/graph_file.h"
#include "import/parts.h"

namespace berth {
namespace {

std::string aten_file(const std::string& ops, const std::string& outputs = "[]") {
  return R"({"format":"aten-graph/1","name":"toy","mode":"train","torch":"2.11",)"
         R"("measured_on":{"cuda":"NVIDIA H200, kernel time","cpu":"16-core Xeon, 16 threads"},"outputs":)" +
         outputs + ",\"ops\":[" + ops + "]}";
}

// One training step of a convolution whose input needs no gradient and whose bias has none.
const std::string kStep = R"(
  {"name":"w","outputs":[{"dtype":"f32","shape":[8,3,3,3]}],"type":"parameter","label":"conv.weight"},
  {"name":"x","outputs":[{"dtype":"f32","shape":[2,3,9,9]}],"type":"input"},
  {"name":"conv","outputs":[{"dtype":"f32","shape":[2,8,7,7]}],"type":"aten.convolution.default",
   "args":[{"op":1},{"op":0},null,{"list":[{"i":1},{"i":1}]}],"flops":42336,"us":{"cuda":10.5,"cpu":null}},
  {"name":"view","outputs":[{"dtype":"f32","shape":[784]}],"type":"aten.view.default",
   "args":[{"op":2},{"list":[{"i":784}]}],"view":true},
  {"name":"back","outputs":[{"dtype":"f32","shape":[8,3,3,3]}],"type":"aten.convolution_backward.default",
   "args":[{"op":2},{"op":1},{"op":0},{"list":[{"b":false},{"b":true},{"b":false}]}],"flops":42336,
   "us":{"cuda":20,"cpu":30}},
  {"name":"gx","outputs":[],"type":"getitem","args":[{"op":4},{"i":0}]},
  {"name":"gw","outputs":[{"dtype":"f32","shape":[8,3,3,3]}],"type":"getitem","args":[{"op":4},{"i":1}]},
  {"name":"cat","outputs":[{"dtype":"f32","shape":[1568]}],"type":"aten.cat.default",
   "args":[{"list":[{"op":3},{"list":[{"op":3}]}]}],"kwargs":{"like":{"op":2},"dim":{"i":0}}},
  {"name":"u","type":"sgd_update","args":[{"op":0},{"op":6}],"outputs":[],"updates":0})";

std::string inputs_text(const Graph& graph, OpId op) {
  std::string text;
  for (const TensorId tensor : graph.inputs(op)) {
    text +=
        fmt::format("{}{}.{}", text.empty() ? "" : " ", graph.name(graph.producer(tensor)), graph.output_index(tensor));
  }
  return text;
}

TEST(AtenGraph, ArgumentsThatAreNoTensorsAreAttributes) {
  const auto graph = parse_graph(aten_file(kStep), "toy.json");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->attributes(OpId{2}), "args[3] = [1, 1]");
  EXPECT_EQ(graph->attributes(OpId{4}), "args[3] = [false, true, false]");
  EXPECT_EQ(graph->attributes(OpId{5}), "args[1] = 0");
  EXPECT_EQ(graph->attributes(OpId{7}), "dim = 0") << "a list of tensors is none";
  EXPECT_EQ(graph->attributes(OpId{8}), "");
}

TEST(AtenGraph, ReadsATrainingStep) {
  const auto graph = parse_graph(aten_file(kStep, "[2, 6, 7]"), "toy.json");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->title(), "toy.train");
  EXPECT_EQ(graph->num_ops(), 9U);
  std::string ops;
  for (const OpId op : graph->ops()) {
    ops += fmt::format("{} {} ({})\n", graph->name(op), name_of(graph->role(op)), inputs_text(*graph, op));
  }
  EXPECT_EQ(ops,
            "w parameter ()\n"
            "x input ()\n"
            "conv compute (x.0 w.0)\n"
            "view view (conv.0)\n"
            "back compute (conv.0 x.0 w.0)\n"
            "gx constant ()\n"
            "gw view (back.0)\n"
            "cat compute (view.0 view.0 conv.0)\n"
            "u compute (w.0 gw.0)\n");
  const OpId update{8};
  EXPECT_EQ(graph->updated_parameter(update), OpId{0});
  EXPECT_EQ(graph->bytes_touched(update), 3 * 8 * 27 * 4);
  EXPECT_EQ(as_vector(graph->control_inputs(update)), (std::vector<OpId>{OpId{2}, OpId{4}}));
  EXPECT_EQ(graph->graph_outputs().size(), 2U) << "the gradient, which only the update reads, is no output";
  EXPECT_EQ(graph->label(OpId{0}), "conv.weight");
  EXPECT_EQ(graph->flops(OpId{2}), 42336);
}

TEST(AtenGraph, MeasuredTimesAreInSecondsPerDeviceModel) {
  const auto graph = parse_graph(aten_file(kStep), "toy.json");
  ASSERT_EQ(graph->measured().size(), 2U);
  const MeasuredTimes& gpu = graph->measured()[0];
  const MeasuredTimes& cpu = graph->measured()[1];
  EXPECT_EQ(gpu.device_model, "h200");
  EXPECT_EQ(cpu.device_model, "xeon-16c");
  EXPECT_FLOAT_EQ(gpu.seconds[2], 10.5e-6F);
  EXPECT_LT(cpu.seconds[2], 0) << "null";
  EXPECT_FLOAT_EQ(cpu.seconds[4], 30e-6F);
  EXPECT_LT(gpu.seconds[0], 0);
}

TEST(AtenGraph, MistakesAreNamed) {
  const auto error_of = [](const std::string& text) {
    const auto graph = parse_graph(text, "toy.json");
    return graph ? "fine" : graph.error().message;
  };
  const std::string x = R"({"name":"x","outputs":[{"dtype":"f32","shape":[4]}],"type":"input"},)";
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"t","args":[{"op":1}]})")),
            "toy.json: ops[1].args[0].op: it names op 1, but only 1 ops come before it");
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"t","args":[{"list":[null,{"op":-1}]}]})")),
            "toy.json: ops[1].args[0].list[1].op: expected an integer from 0 to 19999999, found -1");
  EXPECT_EQ(
      error_of(aten_file(
          x + R"({"name":"a","outputs":[{"dtype":"f32","shape":[4]}],"type":"getitem","args":[{"op":0},{"i":2}]})")),
      "toy.json: ops[1].args[1].i: op 0 has no output 2");
  EXPECT_EQ(
      error_of(aten_file(
          x + R"({"name":"a","outputs":[{"dtype":"f32","shape":[5]}],"type":"getitem","args":[{"op":0},{"i":0}]})")),
      "toy.json: ops[1]: its outputs differ from output 0 of op 0, which it picks");
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"getitem","args":[{"op":0}]})")),
            "toy.json: ops[1]: a getitem needs the args [{\"op\": ...}, {\"i\": ...}]");
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"sgd_update","args":[]})")),
            "toy.json: ops[1]: \"updates\" is missing");
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"sgd_update","args":[],"updates":0})")),
            "toy.json: op 'a' updates op 0, which is no parameter");
  EXPECT_EQ(error_of(aten_file(x + R"({"name":"a","outputs":[],"type":"t","us":{"cuda":-1}})")),
            "toy.json: op 1: the measured time -1e-06 s on 'h200' is out of range");
  EXPECT_EQ(error_of(R"({"format":"aten-graph/1","name":"toy","mode":"play"})"),
            "toy.json: mode: expected train or infer, found \"play\"");
}

// Counts what a captured file says about itself, by searching its text.
std::size_t occurrences(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(AtenGraph, ReadsAllCapturedFiles) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::vector<std::string> files = data_files("captured", ".json.gz");
  if (files.empty()) GTEST_SKIP() << "the data folder is missing: set BERTH_DATA";
  EXPECT_EQ(files.size(), 13U);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto graph = load_graph_file(file);
    ASSERT_TRUE(graph) << graph.error().message;
    const std::string text = *read_file(file);
    EXPECT_EQ(graph->num_ops(), occurrences(text, "\"type\":"));
    EXPECT_EQ(graph->num_tensors(), occurrences(text, "\"shape\":"));
    std::size_t updates = 0, measured = 0;
    for (const OpId op : graph->ops()) {
      updates += graph->updated_parameter(op) != kNoOp ? 1 : 0;
      measured += graph->measured()[0].seconds[index(op)] >= 0 ? 1 : 0;
    }
    EXPECT_EQ(updates, occurrences(text, "\"sgd_update\""));
    fmt::print("{:<20} {:>6} ops {:>6} edges {:>5} updates {:>6} measured {:.3g} flops {:.4g} parameter bytes\n",
               graph->title(), graph->num_ops(), graph->num_edges(), updates, measured, graph->total_flops(),
               static_cast<double>(graph->parameter_bytes()));
    const std::string native = *write_graph_json(*graph);
    const auto again = parse_graph(native, "again.json");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->structure_hash(), graph->structure_hash());
    EXPECT_TRUE(*write_graph_json(*again) == native);
  }
}

// Tensors that a tracer found in the code, by the names that tracers give them.
TEST(AtenGraph, ConstantsOfTheCodeAreConstants) {
  const auto graph = parse_graph(aten_file(R"(
    {"name":"table","outputs":[{"dtype":"f32","shape":[8]}],"type":"get_attr","label":"_tensor_constant0"},
    {"name":"mask","outputs":[{"dtype":"f32","shape":[8]}],"type":"constant"},
    {"name":"y","outputs":[{"dtype":"f32","shape":[8]}],"type":"aten.mul.Tensor","args":[{"op":0},{"op":1}]})",
                                           "[2]"),
                                 "toy.json");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->role(OpId{0}), Role::kConstant);
  EXPECT_EQ(graph->role(OpId{1}), Role::kConstant);
  EXPECT_EQ(graph->role(OpId{2}), Role::kCompute);
}

// Nine outputs, of which two are missing and two are numbers; a getitem counts them all.
TEST(AtenGraph, AttentionOfGpusLeavesGapsInItsOutputs) {
  const auto graph = parse_graph(aten_file(R"(
    {"name":"q","outputs":[{"dtype":"f16","shape":[1,2,4,8]}],"type":"input"},
    {"name":"flash","outputs":[{"dtype":"f16","shape":[1,2,4,8]},{"dtype":"f32","shape":[1,2,4]},{"dtype":"i64","shape":[]},
     {"dtype":"i64","shape":[]},{"dtype":"f16","shape":[0]}],
     "type":"aten._scaled_dot_product_flash_attention.default","args":[{"op":0},{"op":0},{"op":0}]},
    {"name":"lse","outputs":[{"dtype":"f32","shape":[1,2,4]}],"type":"getitem","args":[{"op":1},{"i":1}]},
    {"name":"seed","outputs":[{"dtype":"i64","shape":[]}],"type":"getitem","args":[{"op":1},{"i":6}]},
    {"name":"debug","outputs":[{"dtype":"f16","shape":[0]}],"type":"getitem","args":[{"op":1},{"i":8}]})",
                                           "[2]"),
                                 "toy.json");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(inputs_text(*graph, OpId{3}), "flash.2");
  EXPECT_EQ(inputs_text(*graph, OpId{4}), "flash.4");
}

}  // namespace
}  // namespace berth
