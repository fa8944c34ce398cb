// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "files/protobuf/wire.h"
#include "import/onnx_parts.h"
#include "import/parts.h"

namespace berth {
namespace {

using namespace onnx_test;

// A file with fields, attributes and metadata that nobody here knows, around two nodes and a weight. The length of the
// graph is written longer than it has to be, as some writers do.
std::string strange_model() {
  WireWriter first =
      node({"first", "Relu", {"x"}, {"y"}, {WireWriter().bytes(1, "unheard").fixed64(77, 1).varint(78, 5)}});
  first.message(9, WireWriter().bytes(1, "keep").bytes(2, "me")).bytes(99, "of another version");
  WireWriter graph;
  graph.bytes(1000, "unknown").message(1, first).message(1, node({"second", "Tanh", {"y"}, {"z"}}));
  graph.message(11, value("x", dims_of({5}))).message(5, weight("w", {4}).bytes(9, "0123456789abcdef"));
  graph.message(12, WireWriter().bytes(1, "z")).fixed32(2000, 7);
  std::string bytes = WireWriter().varint(1, 10).bytes(2, "someone").str();
  const std::string& inside = graph.str();
  bytes += '\x3a';  // field 7
  bytes += static_cast<char>(inside.size() % 128 | 128);
  bytes += static_cast<char>(inside.size() / 128 | 128);
  bytes += '\0';
  bytes += inside;
  return bytes + WireWriter().varint(5, 3).bytes(500, "trailing").str();
}

OnnxNodeEdit no_change(const OnnxNode&) { return {}; }

OnnxNodeEdit place_second(const OnnxNode& node) {
  OnnxNodeEdit edit;
  if (node.name == "second") edit.metadata = {{"device", "gpu1"}};
  return edit;
}

// All fields of a message with those of the named numbers opened: text that is easy to compare.
std::vector<std::string> fields_of(std::string_view message) {
  std::vector<std::string> fields;
  WireReader field(message);
  while (field.next()) fields.emplace_back(field.whole());
  EXPECT_FALSE(field.error());
  return fields;
}

std::string_view graph_in(std::string_view file) {
  WireReader field(file);
  while (field.next()) {
    if (field.is(7, WireType::kBytes)) return field.bytes();
  }
  return {};
}

TEST(OnnxWriter, UnchangedFilesAreTheSameBytes) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a.onnx"), strange_model());
  ASSERT_TRUE(write_onnx_model(folder.file("a.onnx"), folder.file("b.onnx"), no_change).ok());
  EXPECT_EQ(read_bytes(folder.file("b.onnx")), strange_model());
  EXPECT_EQ(folder.num_files(), 2U);
}

TEST(OnnxWriter, MetadataIsAddedAndAllElseStays) {
  const TemporaryFolder folder;
  const std::string before = strange_model();
  write_bytes(folder.file("a.onnx"), before);
  ASSERT_TRUE(write_onnx_model(folder.file("a.onnx"), folder.file("b.onnx"), place_second).ok());
  const std::string after = read_bytes(folder.file("b.onnx"));
  const auto old_fields = fields_of(before), new_fields = fields_of(after);
  ASSERT_EQ(new_fields.size(), old_fields.size());
  for (std::size_t i = 0; i < old_fields.size(); ++i) {
    if (i == 2) continue;  // the graph
    EXPECT_EQ(new_fields[i], old_fields[i]) << i;
  }
  const auto old_graph = fields_of(graph_in(before)), new_graph = fields_of(graph_in(after));
  ASSERT_EQ(new_graph.size(), old_graph.size());
  const std::string added = WireWriter().message(9, WireWriter().bytes(1, "device").bytes(2, "gpu1")).str();
  const std::string second = node({"second", "Tanh", {"y"}, {"z"}}).str() + added;
  for (std::size_t i = 0; i < old_graph.size(); ++i)
    EXPECT_EQ(new_graph[i], i == 2 ? WireWriter().bytes(1, second).str() : old_graph[i]) << i;
}

TEST(OnnxWriter, EntriesOfTheSameKeyAndNamesAreReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.onnx");
  write_bytes(path, strange_model());
  const auto edit = [](const OnnxNode& node) {
    OnnxNodeEdit change;
    if (node.name == "first") change = {.name = "renamed", .metadata = {{"keep", "you"}, {"device", "cpu"}}};
    return change;
  };
  ASSERT_TRUE(write_onnx_model(path, path, edit).ok()) << "in place";
  std::vector<OnnxNode> nodes;
  ASSERT_TRUE(write_onnx_model(path, folder.file("b.onnx"), [&](const OnnxNode& node) {
                nodes.push_back(node);
                return OnnxNodeEdit();
              }).ok());
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "renamed");
  EXPECT_EQ(nodes[0].metadata, (std::vector<std::pair<std::string, std::string>>{{"keep", "you"}, {"device", "cpu"}}));
  EXPECT_EQ(nodes[1].name, "second");
  EXPECT_EQ(read_bytes(path).find("of another version"), read_bytes(path).rfind("of another version"));
  EXPECT_NE(read_bytes(path).find("of another version"), std::string::npos);
  EXPECT_EQ(folder.num_files(), 2U);
}

TEST(OnnxWriter, WhatCannotBeWrittenLeavesTheOldFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is unwritable for the superuser";
  const TemporaryFolder folder;
  write_bytes(folder.file("a.onnx"), strange_model());
  std::filesystem::create_directory(folder.file("locked"));
  write_bytes(folder.file("locked/b.onnx"), "old");
  ::chmod(folder.file("locked").c_str(), 0500);
  const Status written = write_onnx_model(folder.file("a.onnx"), folder.file("locked/b.onnx"), place_second);
  ::chmod(folder.file("locked").c_str(), 0700);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, folder.file("locked/b.onnx") + ": cannot write it: Permission denied");
  EXPECT_EQ(read_bytes(folder.file("locked/b.onnx")), "old");
}

TEST(OnnxWriter, AFullDiskIsOneLine) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const TemporaryFolder folder;
  write_bytes(folder.file("a.onnx"), strange_model());
  const Status written = write_onnx_model(folder.file("a.onnx"), "/dev/full", place_second);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "/dev/full: cannot write it: No space left on device");
  const Status nowhere = write_onnx_model(folder.file("a.onnx"), folder.file("no/such/folder.onnx"), no_change);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().message,
            folder.file("no/such/folder.onnx") + ": cannot write it: No such file or directory");
}

TEST(OnnxWriter, DamagedFilesAreRefusedByName) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a.onnx"), strange_model().substr(0, 40));
  write_bytes(folder.file("b.onnx"), "old");
  const Status written = write_onnx_model(folder.file("a.onnx"), folder.file("b.onnx"), place_second);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message,
            folder.file("a.onnx") + ": damaged protobuf data: a field is longer than what holds it");
  EXPECT_EQ(read_bytes(folder.file("b.onnx")), "old");
}

TEST(FileParts, ASourceThatBecameShorterIsNamed) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a"), "0123456789");
  const std::vector<FilePart> parts{{.bytes = "x"}, {.offset = 2, .size = 4}, {.offset = 8, .size = 2}};
  ASSERT_TRUE(write_parts_atomically(folder.file("b"), folder.file("a"), parts).ok());
  EXPECT_EQ(read_bytes(folder.file("b")), "x234589");
  write_bytes(folder.file("a"), "012345678");
  const Status written = write_parts_atomically(folder.file("b"), folder.file("a"), parts);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, folder.file("a") + ": it became shorter while it was copied");
  EXPECT_EQ(read_bytes(folder.file("b")), "x234589") << "the old file stays";
  EXPECT_EQ(folder.num_files(), 2U);
}

// Files of others, byte for byte, and with a note at every node.
TEST(OnnxWriterData, RealFilesSurvive) {
  std::vector<std::string> files = data_files("onnxruntime_testdata", ".onnx");
  for (const char* more : {"onnx_light", "exported"}) {
    for (const std::string& file : data_files(more, ".onnx")) files.push_back(file);
  }
  if (files.empty()) GTEST_SKIP() << "no ONNX files in the data folder (BERTH_DATA)";
  const TemporaryFolder folder;
  const std::string copy = folder.file("copy.onnx");
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    ASSERT_TRUE(write_onnx_model(file, copy, no_change).ok());
    EXPECT_EQ(read_bytes(copy), read_bytes(file));
    ASSERT_TRUE(write_onnx_model(file, copy, [](const OnnxNode&) {
                  return OnnxNodeEdit{.metadata = {{"device", "gpu0"}}};
                }).ok());
    const auto before = read_onnx_model(read_bytes(file), "a"), after = read_onnx_model(read_bytes(copy), "a");
    ASSERT_TRUE(before.ok() && after.ok());
    EXPECT_EQ(before->nodes.size(), after->nodes.size());
    EXPECT_EQ(before->values.size(), after->values.size());
    EXPECT_GT(read_bytes(copy).size(), read_bytes(file).size() + 10 * before->source_nodes);
  }
}

}  // namespace
}  // namespace berth
