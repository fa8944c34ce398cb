// SPDX-License-Identifier: Apache-2.0
// The models of the data folder against the op table: every type is known, and what the table makes of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "import/graph_file.h"
#include "import/model_file.h"
#include "import/parts.h"

namespace berth {
namespace {

struct Folder {
  std::string name, ending;
};

TEST(KnownTypes, OfAllModelsOfTheDataFolder) {
  std::size_t read = 0;
  for (const Folder& folder : {Folder{"onnx_light", ".onnx"}, Folder{"onnxruntime_testdata", ".onnx"},
                               Folder{"exported", ".onnx"}, Folder{"exported", ".pt2"}, Folder{"baechi_tf", ".pb"}}) {
    if (folder.ending == ".pt2" && !has_zip()) continue;
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

// A model that is there in several formats. A test skips where one of its files is missing, and for no other reason.
class SameModel : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string path(std::string_view folder, std::string_view ending) {
    return (data_folder() / folder / fmt::format("{}{}", GetParam(), ending)).string();
  }
  static bool is_there(const std::string& path) { return std::filesystem::exists(path); }

  // First size of the first input.
  static double batch_of(const Graph& graph) {
    for (const OpId op : graph.ops()) {
      if (graph.role(op) == Role::kInput) return static_cast<double>(graph.shape(graph.outputs(op)[0])[0]);
    }
    return 0.0;
  }
};

const std::string_view kMissing = "is not in the data folder (BERTH_DATA)";

// Two formats name, fold and fuse in their own ways: the same products and weights. Also where the embedding is the
// last layer, which the files have once and read twice.
class Exported : public SameModel {};
TEST_P(Exported, FlopsAndWeightsAgreeAcrossFormats) {
  if (!has_zip()) GTEST_SKIP() << "built without zip files";
  for (const std::string& file : {path("exported", ".onnx"), path("exported", ".pt2")}) {
    if (!is_there(file)) GTEST_SKIP() << file << " " << kMissing;
  }
  const auto onnx = import_model(path("exported", ".onnx")), pt2 = import_model(path("exported", ".pt2"));
  ASSERT_TRUE(onnx) << onnx.error().message;
  ASSERT_TRUE(pt2) << pt2.error().message;
  EXPECT_TRUE(onnx->report.unknown_shapes.empty());
  EXPECT_GT(onnx->graph.total_flops(), 0.0);
  EXPECT_NEAR(onnx->graph.total_flops() / pt2->graph.total_flops(), 1.0, 0.02);
  const auto onnx_weights = static_cast<double>(onnx->graph.parameter_bytes());
  EXPECT_NEAR(onnx_weights / static_cast<double>(pt2->graph.parameter_bytes()), 1.0, 0.01);
}
INSTANTIATE_TEST_SUITE_P(KnownTypes, Exported, ::testing::Values("bert_base", "gpt2", "inception_v3", "resnet50"),
                         [](const auto& each) { return std::string(each.param); });

// The graphs that a framework ran, with its own counts of flops, have larger batches.
class Captured : public SameModel {
 protected:
  static void expect_agreement(const std::string& file, const Graph& captured) {
    SCOPED_TRACE(file);
    const auto exported = import_model(file);
    ASSERT_TRUE(exported) << exported.error().message;
    ASSERT_GT(batch_of(captured), batch_of(exported->graph));
    const double per_sample = exported->graph.total_flops() / batch_of(exported->graph);
    EXPECT_NEAR(captured.total_flops() / batch_of(captured) / per_sample, 1.0, 0.03);
    // A capture has an embedding that is also the last layer twice.
    if (std::string_view(GetParam()) == "bert_base") return;
    const auto weights = static_cast<double>(exported->graph.parameter_bytes());
    EXPECT_NEAR(static_cast<double>(captured.parameter_bytes()) / weights, 1.0, 0.01);
  }
};
TEST_P(Captured, FlopsPerSampleAndWeightsAgree) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const std::string capture = path("captured", ".infer.json.gz"), onnx = path("exported", ".onnx"),
                    pt2 = path("exported", ".pt2");
  for (const std::string& file : {capture, onnx, pt2}) {
    if (!is_there(file)) GTEST_SKIP() << file << " " << kMissing;
  }
  const auto captured = load_graph_file(capture);
  ASSERT_TRUE(captured) << captured.error().message;
  expect_agreement(onnx, *captured);
  if (has_zip()) expect_agreement(pt2, *captured);
}
INSTANTIATE_TEST_SUITE_P(KnownTypes, Captured, ::testing::Values("bert_base", "inception_v3", "resnet50"),
                         [](const auto& each) { return std::string(each.param); });

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
