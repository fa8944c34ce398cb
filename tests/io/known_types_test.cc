// SPDX-License-Identifier: Apache-2.0
// The models of the data folder against the op table: every type is known, and what the table makes of them.
#include <gtest/gtest.h>

#include <map>

#include "io/graph_file.h"
#include "io/model_file.h"
#include "io/parts.h"

namespace berth {
namespace {

struct Folder {
  std::string name, ending;
};

TEST(KnownTypes, OfAllModelsOfTheDataFolder) {
  std::size_t read = 0;
  for (const Folder& folder : {Folder{"onnx_light", ".onnx"}, Folder{"onnxruntime_testdata", ".onnx"},
                               Folder{"exported", ".onnx"}, Folder{"exported", ".pt2"}, Folder{"baechi_tf", ".pb"}}) {
    for (const std::string& file : data_files(folder.name, folder.ending)) {
      SCOPED_TRACE(file);
      const auto lowered = import_model(file);
      ASSERT_TRUE(lowered) << lowered.error().message;
      EXPECT_EQ(lowered->report.unknown_types, (std::map<std::string, std::size_t>()));
      ++read;
    }
  }
  if (read == 0) GTEST_SKIP() << "no models in the data folder (BERTH_DATA)";
}

// One model in two formats, which name, fold and fuse in their own ways: the same products and weights.
TEST(KnownTypes, FlopsAndWeightsAgreeAcrossFormats) {
  const auto files = data_files("exported", ".onnx");
  if (files.empty()) GTEST_SKIP() << "no exported models in the data folder (BERTH_DATA)";
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string twin = file.substr(0, file.size() - std::string_view(".onnx").size()) + ".pt2";
    const auto onnx = import_model(file), pt2 = import_model(twin);
    ASSERT_TRUE(onnx) << onnx.error().message;
    if (!pt2) GTEST_SKIP() << pt2.error().message;  // not there, or built without libzip
    EXPECT_GT(onnx->graph.total_flops(), 0.0);
    EXPECT_NEAR(onnx->graph.total_flops() / pt2->graph.total_flops(), 1.0, 0.02);
    const auto onnx_weights = static_cast<double>(onnx->graph.parameter_bytes());
    EXPECT_NEAR(onnx_weights / static_cast<double>(pt2->graph.parameter_bytes()), 1.0, 0.01);
  }
}

// First size of the first input.
double batch_of(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (graph.role(op) == Role::kInput) return static_cast<double>(graph.shape(graph.outputs(op)[0])[0]);
  }
  return 0.0;
}

// The graphs that a framework ran, with its own counts of flops, have larger batches. Weights are not compared: a
// capture has an embedding that is also the last layer twice.
TEST(KnownTypes, FlopsAgreeWithCapturedGraphsPerSample) {
  std::size_t compared = 0;
  for (const std::string_view name : {"bert_base", "inception_v3", "resnet50"}) {
    SCOPED_TRACE(name);
    const auto files = data_files("exported", fmt::format("{}.onnx", name));
    const auto captures = data_files("captured", fmt::format("{}.infer.json.gz", name));
    if (files.empty() || captures.empty()) continue;
    const auto exported = import_model(files.front());
    ASSERT_TRUE(exported) << exported.error().message;
    const auto captured = load_graph_file(captures.front());
    if (!captured) GTEST_SKIP() << captured.error().message;  // built without zlib
    ASSERT_GT(batch_of(*captured), batch_of(exported->graph));
    const double per_sample = exported->graph.total_flops() / batch_of(exported->graph);
    EXPECT_NEAR(captured->total_flops() / batch_of(*captured) / per_sample, 1.0, 0.03);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no captured and exported models in the data folder (BERTH_DATA)";
}

// Inputs of a cell: x [batch, inputs], states, then w [inputs + units, 4 * units], all gates in one product.
TEST(KnownTypes, CellsOfGnmtHaveFlops) {
  const auto files = data_files("baechi_tf", "graphdef.pb");
  if (files.empty()) GTEST_SKIP() << "no baechi_tf in the data folder (BERTH_DATA)";
  const auto lowered = import_model(files.front());
  ASSERT_TRUE(lowered) << lowered.error().message;
  const Graph& graph = lowered->graph;
  std::size_t cells = 0;
  for (const OpId op : graph.ops()) {
    if (graph.type(op) != "LSTMBlockCell") continue;
    ++cells;
    const auto w = graph.shape(graph.inputs(op)[3]), x = graph.shape(graph.inputs(op)[0]);
    EXPECT_EQ(graph.flops(op), 2.0 * static_cast<double>(x[0] * w[0] * w[1])) << graph.name(op);
  }
  EXPECT_EQ(cells, 360U);
}

}  // namespace
}  // namespace berth
