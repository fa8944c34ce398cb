// SPDX-License-Identifier: Apache-2.0
#include "import/file_kind.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "import/exported_text.h"
#include "import/graph_file.h"
#include "import/model_file.h"
#include "import/onnx_parts.h"
#include "import/openvino_text.h"
#include "import/parts.h"
#include "import/tensorflow_sample.h"
#include "support/wire_writer.h"

namespace berth {
namespace {

std::string onnx_model() {
  using namespace onnx_test;
  WireWriter graph;
  graph.message(11, value("x", dims_of({4, 8}))).message(5, weight("w", {8, 2}));
  graph.message(1, node({"mm", "MatMul", {"x", "w"}, {"y"}})).message(12, WireWriter().bytes(1, "y"));
  return model(graph);
}

// A GraphDef of one node, whose length is that of a brace: a text that begins with a line break and "{" is none.
std::string tensorflow_model() {
  WireWriter node;
  node.bytes(1, std::string(107, 'x')).bytes(2, "Placeholder");
  EXPECT_EQ(node.str().size(), static_cast<std::size_t>('{') - 1);
  return WireWriter().message(1, node).str();
}

TEST(FileKind, ContentDecidesWhateverTheName) {
  const std::string xml = ir_file("", "");
  for (const char* name : {"m", "m.onnx", "m.pb", "m.xml", "m.json", "m.pt2", "m.gguf", "m.pbtxt.gz"}) {
    EXPECT_EQ(kind_of(onnx_model(), name), FileKind::kOnnx) << name;
    EXPECT_EQ(kind_of(onnx_model().substr(0, 20), name), FileKind::kOnnx) << name << ": just its start";
    EXPECT_EQ(kind_of(tensorflow_model(), name), FileKind::kTensorFlow) << name;
    EXPECT_EQ(kind_of(std::string("\x08\x01\x12\x80\x01", 5), name), FileKind::kTensorFlow) << name << ": SavedModel";
    EXPECT_EQ(kind_of("# a comment\nnode {\n  name: 'x' }", name), FileKind::kTensorFlowText) << name;
    EXPECT_EQ(kind_of("saved_model_schema_version: 1", name), FileKind::kTensorFlowText) << name;
    EXPECT_EQ(kind_of("PK\x03\x04 and more", name), FileKind::kExportedProgram) << name;
    EXPECT_EQ(kind_of("GGUF\x03", name), FileKind::kGguf) << name;
    EXPECT_EQ(kind_of(xml, name), FileKind::kOpenVino) << name;
    EXPECT_EQ(kind_of("\n{\n  \"format\": 1}", name), FileKind::kOther) << name << ": JSON";
  }
}

TEST(FileKind, TheNameDecidesWhereTheContentDoesNot) {
  for (const std::string_view start : {"", "\xff\xff", "hello there", "<html></html>"}) {
    EXPECT_EQ(kind_of(start, "m.onnx"), FileKind::kOnnx) << start;
    EXPECT_EQ(kind_of(start, "m.onnx.gz"), FileKind::kOnnx) << start;
    EXPECT_EQ(kind_of(start, "m.meta"), FileKind::kTensorFlow) << start;
    EXPECT_EQ(kind_of(start, "m"), FileKind::kOther) << start;
  }
}

std::vector<std::string> ops_of(const std::string& path) {
  const auto graph = load_graph_file(path);
  if (!graph) return {graph.error().message};
  std::vector<std::string> names;
  for (const OpId op : graph->ops()) names.emplace_back(graph->name(op));
  return names;
}

TEST(FileKind, ModelsUnderAnyNameAreRead) {
  const TemporaryFolder folder;
  for (const char* name : {"m", "m.pb", "m.json", "m.xml", "m.bin"}) {
    const std::string path = folder.file(name);
    write_bytes(path, onnx_model());
    std::vector<std::string> ops = ops_of(path);
    std::ranges::sort(ops);
    EXPECT_EQ(ops, (std::vector<std::string>{"mm", "w", "x"})) << name;
  }
}

TEST(FileKind, CompressedModelsAreRead) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  for (const char* name : {"m.onnx.gz", "m", "m.onnx"}) {
    const std::string path = folder.file(name);
    write_bytes(path, *gzip(onnx_model()));
    EXPECT_EQ(ops_of(path).size(), 3U) << ops_of(path)[0];
  }
  const std::string text = folder.file("t.pbtxt.gz");
  write_bytes(text, *gzip(tensorflow::placeholder("x", "[2]") + tensorflow::node("y", "Relu", "x", "T:f32")));
  EXPECT_EQ(ops_of(text), (std::vector<std::string>{"x", "y"}));
}

TEST(FileKind, JsonUnderAnotherNameIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("g.onnx");
  write_bytes(path, R"({"format": "berth-graph/1", "ops": [{"name": "a", "type": "t", "outputs": []}]})");
  EXPECT_EQ(ops_of(path), std::vector<std::string>{"a"});
}

TEST(FileKind, UnknownFilesAreToldAllKinds) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.tflite");
  write_bytes(path, std::string_view("\x1c\0\0\0TFL3", 8));
  EXPECT_EQ(ops_of(path), std::vector<std::string>{fmt::format("{}: it is no JSON object; {}", path, kReadableFiles)});
  for (const char* ending : {".onnx", ".pt2", ".xml", ".pb", ".pbtxt", ".meta", ".gguf"}) {
    EXPECT_NE(kReadableFiles.find(ending), std::string_view::npos) << ending;
  }
}

TEST(FileKind, APipeIsNotLookedInto) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe.onnx");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(kind_of_file(pipe), FileKind::kOnnx);
  EXPECT_EQ(read_model_file(pipe).error().message, pipe + ": it is no regular file");
}

// Converters call whatever they convert the same.
TEST(ModelTitle, ComesFromTheFileUnlessTheModelHasAName) {
  if (!has_openvino()) GTEST_SKIP() << "built without OpenVINO files";
  const TemporaryFolder folder;
  const auto title = [&](std::string_view name) {
    const std::string path = folder.file("vit.xml");
    write_bytes(path, fmt::format("<?xml version=\"1.0\"?><net name=\"{}\" version=\"11\">{}</net>", name,
                                  ir_parts(convolution_layers(), kConvolutionEdges)));
    const auto model = read_model_file(path);
    return model ? model->title : model.error().message;
  };
  for (const char* name :
       {"", "onnx_Frontend_IR", "TensorFlow_Frontend_IR", "main_graph", "torch_jit", "Model0", "Model17"}) {
    EXPECT_EQ(title(name), "vit") << name;
  }
  EXPECT_EQ(title("resnet-50"), "resnet-50");
  EXPECT_EQ(title("Model of a ship"), "Model of a ship");
}

}  // namespace
}  // namespace berth
