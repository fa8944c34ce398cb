// SPDX-License-Identifier: Apache-2.0
// .pt2 files: the zip around an exported program, and real ones.
#include <gtest/gtest.h>
#include <zip.h>

#include <map>

#include "import/exported_text.h"
#include "import/parts.h"
#include "import/pt2/exported_program.h"

namespace berth {
namespace {

struct Member {
  std::string name, contents;
  bool compressed = false;
};

std::string write_zip(const TemporaryFolder& folder, const std::vector<Member>& members) {
  const std::string path = folder.file("net.pt2");
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  EXPECT_NE(archive, nullptr);
  for (const Member& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.contents.data(), member.contents.size(), 0);
    const zip_int64_t index = zip_file_add(archive, member.name.c_str(), source, 0);
    EXPECT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             member.compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

// The error without the path, which is checked to be in front.
std::string archive_error(const std::string& path) {
  const auto model = read_exported_program(path);
  if (model) return "fine";
  EXPECT_TRUE(model.error().message.starts_with(path + ": ")) << model.error().message;
  return model.error().message.substr(path.size() + 2);
}

std::string error_of_zip(const std::vector<Member>& members) {
  const TemporaryFolder folder;
  return archive_error(write_zip(folder, members));
}

TEST(ExportedArchive, BothLayouts) {
  const std::string json = linear_program().json();
  const TemporaryFolder folder;
  const std::vector<std::vector<Member>> layouts{
      {{"serialized_exported_program.json", json}, {"serialized_state_dict.pt", "weights"}, {"version", "8.8"}},
      {{"x/archive_format", "pt2"}, {"x/models/model.json", json}, {"x/data/weights/weight_0", "weights"}},
      {{"net/models/my_net.json", json, true}, {"net/data/weights/model_weights_config.json", "{}"}}};
  for (const auto& layout : layouts) {
    const auto model = read_exported_program(write_zip(folder, layout));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->title, "net");
    EXPECT_EQ(model->nodes.size(), 2U);
  }
}

TEST(ExportedArchive, CompressedAsAWhole) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  const std::string zip = read_bytes(write_zip(folder, {{"net/models/model.json", linear_program().json()}}));
  const std::string path = folder.file("net.pt2.gz");
  write_bytes(path, *gzip(zip));
  const auto model = read_exported_program(path);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->nodes.size(), 2U);
}

TEST(ExportedArchive, OtherZipFilesAreNamed) {
  const std::string save = "; save the model by torch.export.save";
  EXPECT_EQ(error_of_zip({{"a.txt", "a"}}), "it holds no exported program (no models/*.json)" + save);
  EXPECT_EQ(error_of_zip({{"m/data/aotinductor/model/a.so", "a"}}),
            "it holds code compiled by AOTInductor and no graph" + save);
  EXPECT_EQ(error_of_zip({{"m/constants.pkl", "a"}}), "it holds a TorchScript model, which is not read" + save);
  EXPECT_EQ(
      error_of_zip({{"m/models/a.json", "{}"}, {"m/models/b.json", "{}"}}),
      "it holds 2 programs (\"m/models/a.json\", \"m/models/b.json\", ...); save the one to plan in a file of its own");
  EXPECT_TRUE(error_of_zip({{"m/models/model.json", "[]"}}).starts_with("line 1: expected '{'"));
}

TEST(ExportedArchive, DamagedFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(archive_error(folder.file("none.pt2")), "cannot open it as a zip file (No such file)");
  write_bytes(folder.file("text.pt2"), "no zip");
  EXPECT_EQ(archive_error(folder.file("text.pt2")), "cannot open it as a zip file (Not a zip archive)");
  const std::string path = write_zip(folder, {{"m/models/model.json", linear_program().json()}});
  std::string bytes = read_bytes(path);
  bytes[bytes.find("aten.linear")] = 'b';
  write_bytes(path, bytes);
  EXPECT_EQ(archive_error(path), "m/models/model.json: CRC error; is the file damaged?");
  for (std::size_t size = 0; size < bytes.size(); size += 37) {
    write_bytes(path, bytes.substr(0, size));
    EXPECT_NE(archive_error(path), "fine");
  }
}

TEST(ExportedArchive, BombsAreNotOpened) {
  const std::string zeros(std::size_t{64} << 20, ' ');
  EXPECT_TRUE(
      error_of_zip({{"m/models/model.json", zeros, true}}).starts_with("m/models/model.json: it holds more than "));
}

struct Known {
  std::size_t nodes, edges, kept;  // as Python counts them in the JSON
  double parameters;
};

// Counted from the JSON of the files by other means: nodes, distinct pairs of a tensor and its reader, nodes that are
// no assertions, and elements of the parameters that are read.
TEST(ExportedSet, RealModels) {
  const std::map<std::string, Known> known{{"bert_base", {299, 561, 299, 109'514'298}},
                                           {"gpt2", {481, 719, 478, 124'439'808}},
                                           {"inception_v3", {314, 821, 314, 23'834'568}},
                                           {"resnet50", {175, 458, 175, 25'557'032}}};
  const auto files = data_files("exported", ".pt2");
  if (files.empty()) GTEST_SKIP() << "no exported programs in the data folder (BERTH_DATA)";
  std::size_t seen = 0;
  for (const std::string& file : files) {
    const auto model = read_exported_program(file);
    ASSERT_TRUE(model) << model.error().message;
    const auto found = known.find(model->title);
    if (found == known.end()) continue;
    SCOPED_TRACE(model->title);
    ++seen;
    EXPECT_EQ(model->source_nodes, found->second.nodes);
    EXPECT_EQ(model->source_edges, found->second.edges);
    EXPECT_EQ(model->nodes.size(), found->second.kept);
    EXPECT_EQ(model->outputs.size(), 1U);
    double parameters = 0.0;
    for (const Leaf& leaf : model->leaves) {
      if (leaf.role != Role::kParameter) continue;
      EXPECT_EQ(model->values[leaf.value].dtype, DType::kF32);
      double elements = 1.0;
      for (const Dim& dim : model->values[leaf.value].shape.value()) elements *= static_cast<double>(dim.size);
      parameters += elements;
    }
    EXPECT_EQ(parameters, found->second.parameters);
  }
  EXPECT_EQ(seen, known.size());
}

TEST(ExportedSet, ModulesOfResnet) {
  const auto files = data_files("exported", "resnet50.pt2");
  if (files.empty()) GTEST_SKIP() << "no resnet50.pt2 in the data folder (BERTH_DATA)";
  const auto model = read_exported_program(files.front());
  ASSERT_TRUE(model) << model.error().message;
  const Node& first = model->nodes.front();
  EXPECT_EQ(first.type, "aten.conv2d.default");
  EXPECT_EQ(first.module, "conv1");
  EXPECT_EQ(first.inputs.size(), 2U) << "no bias";
  EXPECT_EQ(*first.find<std::vector<std::int64_t>>("stride"), (std::vector<std::int64_t>{2, 2}));
  std::map<std::string, std::size_t> nodes_of;
  for (const Node& node : model->nodes) ++nodes_of[node.module];
  EXPECT_EQ(nodes_of["layer1.0.relu"], 3U) << "one module, called three times";
  EXPECT_EQ(nodes_of["layer4.2.conv3"], 1U);
  EXPECT_EQ(nodes_of["layer4.2"], 1U) << "the residual sum";
}

}  // namespace
}  // namespace berth
