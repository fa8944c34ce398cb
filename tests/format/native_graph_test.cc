// SPDX-License-Identifier: Apache-2.0
#include "format/native_graph.h"

#include <gtest/gtest.h>

#include "format/rich_graph.h"
#include "import/graph_file.h"
#include "import/parts.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

std::string graph_error(std::string text) {
  const auto graph = parse_graph(std::move(text), "g.json");
  return graph ? "fine" : graph.error().message;
}
// The error of a file with these ops.
std::string error_of_ops(const std::string& ops) {
  return graph_error("{\"format\": \"berth-graph/1\", \"ops\": [" + ops + "]}");
}

void expect_round_trip(const Graph& graph) {
  const auto text = write_graph_json(graph);
  ASSERT_TRUE(text) << text.error().message;
  const auto again = parse_graph(*text, "again.json");
  ASSERT_TRUE(again) << again.error().message;
  expect_equal(graph, *again);
  EXPECT_EQ(*write_graph_json(*again), *text);
}

TEST(NativeGraph, IsReadable) {
  GraphBuilder builder("toy");
  builder.set_optimizer(Optimizer::kAdam);
  const OpId x = builder.add(
      {.name = "x", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {64, 32}}}, .allowed = 1});
  const OpId w = builder.add({.name = "w",
                              .type = "parameter",
                              .role = Role::kParameter,
                              .outputs = {{DType::kF32, {32, 8}}},
                              .label = "fc.w"});
  const OpId y = builder.add({.name = "y",
                              .type = "matmul",
                              .inputs = {{x, 0}, {w, 0}},
                              .outputs = {{DType::kF32, {64, 8}}},
                              .flops = 32768,
                              .module = "fc",
                              .attributes = "transA = 0\ntransB = 1"});
  const OpId g = builder.add({.name = "g",
                              .type = "grad",
                              .inputs = {{y, 0}},
                              .outputs = {{DType::kBF16, {}}},
                              .bytes_touched = 7,
                              .forward_of = y});
  builder.add({.name = "u", .type = "adam", .inputs = {{w, 0}, {g, 0}}, .control_inputs = {x}, .updates = w});
  builder.mark_output({y, 0});
  builder.set_measured("h200", y, 2.5e-6);
  const auto graph = std::move(builder).build();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(*write_graph_json(*graph), R"({
  "format": "berth-graph/1",
  "title": "toy",
  "optimizer": "adam",
  "measured_on": ["h200"],
  "outputs": [[2, 0]],
  "ops": [
    {"name": "x", "type": "input", "role": "input", "outputs": [{"dtype": "f32", "shape": [64, 32]}], "allowed": ["cpu"]},
    {"name": "w", "type": "parameter", "role": "parameter", "outputs": [{"dtype": "f32", "shape": [32, 8]}], "label": "fc.w"},
    {"name": "y", "type": "matmul", "inputs": [[0, 0], [1, 0]], "outputs": [{"dtype": "f32", "shape": [64, 8]}], "flops": 32768, "module": "fc", "attributes": "transA = 0\ntransB = 1", "measured_s": [2.5e-06]},
    {"name": "g", "type": "grad", "inputs": [[2, 0]], "outputs": [{"dtype": "bf16", "shape": []}], "bytes_touched": 7, "forward_of": 2},
    {"name": "u", "type": "adam", "inputs": [[1, 0], [3, 0]], "control": [0], "outputs": [], "updates": 1}
  ]
}
)");
  expect_round_trip(*graph);
}

TEST(NativeGraph, RoundTripsRichGraphs) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const auto graph = RichGraphMaker(seed).make(1 + seed % 60);
    ASSERT_TRUE(graph) << graph.error().message;
    expect_round_trip(*graph);
    if (HasFailure()) return;
  }
}

TEST(NativeGraph, RoundTripsRandomProblems) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    expect_round_trip(random_problem(rng, 1 + rng.below(60)).graph());
    if (HasFailure()) return;
  }
}

TEST(NativeGraph, RoundTripsCollidingGroupNames) {
  expect_round_trip(*toy_graph("w:param:8B; u:1:update=w; a:1:group=w; b:1:group=w").graph);
}

TEST(NativeGraph, RoundTripsAnEmptyGraph) { expect_round_trip(*GraphBuilder("").build()); }

TEST(NativeGraph, RoundTripsThroughFiles) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  const auto graph = RichGraphMaker(77).make(50);
  for (const std::string name : {"g.json", "g.json.gz"}) {
    ASSERT_TRUE(save_graph_file(folder.file(name), *graph));
    const auto again = load_graph_file(folder.file(name));
    ASSERT_TRUE(again) << again.error().message;
    expect_equal(*graph, *again);
  }
}

TEST(NativeGraph, TitleFallsBackToTheFileName) {
  const auto graph = parse_graph("{\"format\": \"berth-graph/1\", \"ops\": []}", "models/nmt.json.gz");
  EXPECT_EQ(graph->title(), "nmt");
}

TEST(NativeGraph, NamesThatAreNotUtf8AreNotWritten) {
  GraphBuilder builder("toy");
  builder.add({.name = "\xff", .type = "t"});
  EXPECT_EQ(write_graph_json(*std::move(builder).build()).error().message,
            "op 0 has a name that is not UTF-8, which JSON cannot hold");
}

TEST(NativeGraph, OtherFilesAreExplained) {
  const std::string readable =
      "what is read: models (.onnx, .pt2, OpenVINO's .xml, TensorFlow's .pb, .pbtxt and .meta, .gguf), JSON graphs "
      "(berth-graph/1, aten-graph/1) and problems (berth-problem/1, msr, stg, heft, pipedream), plain or gzip; "
      "berth help formats describes them";
  EXPECT_EQ(graph_error("\x08\x07\x12\x07pytorch"), "g.json: it is no JSON object; " + readable);
  EXPECT_EQ(graph_error("{\"nodes\": []}"), "g.json: it has no \"format\"; " + readable);
  EXPECT_EQ(graph_error("{\"format\": \"berth-graph/9\"}"),
            "g.json: the format \"berth-graph/9\" is not known; " + readable);
  EXPECT_EQ(graph_error("{\"format\": 3}"), "g.json: format: expected a string, found 3");
}

TEST(NativeGraph, MistakesAreNamed) {
  const std::string ok = R"({"name": "a", "type": "t", "outputs": [{"dtype": "f32", "shape": [1]}]})";
  EXPECT_EQ(error_of_ops(ok), "fine");
  EXPECT_EQ(graph_error("{\"format\": \"berth-graph/1\"}"), "g.json: \"ops\" is missing");
  EXPECT_EQ(graph_error("{\"format\": \"berth-graph/1\", \"ops\": [], \"output\": []}"),
            "g.json: unknown member \"output\"; did you mean 'outputs'?");
  EXPECT_EQ(error_of_ops("3"), "g.json: ops[0]: expected an object, found 3");
  EXPECT_EQ(error_of_ops("{}"), "g.json: ops[0]: \"name\" is missing");
  EXPECT_EQ(error_of_ops(R"({"name": "", "type": "t", "outputs": []})"), "g.json: op 0 has no name");
  EXPECT_EQ(error_of_ops(ok + "," + ok), "g.json: two ops have the name 'a'");
  EXPECT_EQ(
      error_of_ops(R"({"name": "a\nb", "type": "t", "outputs": []}, {"name": "a\nb", "type": "t", "outputs": []})"),
      "g.json: two ops have the name 'a?b'");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [{"dtype": "f32", "shape": [4, "x"]}]})"),
            "g.json: ops[0].outputs[0].shape[1]: expected a non-negative integer, found \"x\"");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [{"dtype": "f23", "shape": []}]})"),
            "g.json: ops[0].outputs[0].dtype: expected a data type such as \"f32\", found \"f23\"");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [{"dtype": "f32"}]})"),
            "g.json: ops[0].outputs[0]: \"shape\" is missing");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "inputs": [[0]]})"),
            "g.json: ops[0].inputs[0]: expected a pair [op index, output index], found an array");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "inputs": [[7, 0]]})"),
            "g.json: op 'a': input 0 comes from op 7, but there are only 1 ops");
  EXPECT_EQ(
      error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "role": "boss"})"),
      "g.json: ops[0].role: expected a role: compute, parameter, buffer, constant, input or view, found \"boss\"");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "allowed": ["cpu", "ipu"]})"),
            "g.json: ops[0].allowed[1]: expected a kind of device: cpu, gpu, tpu, npu or fpga, found \"ipu\"");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "measured_s": [1]})"),
            "g.json: ops[0].measured_s: expected one time for each of the 0 models in \"measured_on\", found 1");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "updates": -1})"),
            "g.json: ops[0].updates: expected an integer from 0 to 19999999, found -1");
  EXPECT_EQ(error_of_ops(R"({"name": "a", "type": "t", "outputs": [], "flops": "many"})"),
            "g.json: ops[0].flops: expected a number, found \"many\"");
}

}  // namespace
}  // namespace berth
