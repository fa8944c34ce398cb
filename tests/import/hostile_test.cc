// SPDX-License-Identifier: Apache-2.0
// Files made to hurt: each ends in one clear line, fast.
#include <gtest/gtest.h>

#include "files/files.h"
#include "import/graph_file.h"
#include "import/parts.h"
#include "import/samples.h"

namespace berth {
namespace {

std::string hostile_error(std::string text) {
  const auto graph = parse_graph(std::move(text), "bad.json");
  return graph ? "fine" : graph.error().message;
}
std::string hostile_file(const std::string& ops) { return "{\"format\": \"berth-graph/1\", \"ops\": [" + ops + "]}"; }
std::string op_with_shape(const std::string& shape) {
  return hostile_file("{\"name\": \"a\", \"type\": \"t\", \"outputs\": [{\"dtype\": \"f32\", \"shape\": [" + shape +
                      "]}]}");
}
std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Hostile, HugeShapes) {
  for (const std::string shape : {"1000000000000000000", "1000000000000000000, 1000000000000000000",
                                  "9223372036854775807, 9223372036854775807, 2", "4294967296, 4294967296"}) {
    EXPECT_TRUE(hostile_error(op_with_shape(shape)).starts_with("bad.json: op 'a': the size of output 0 overflows"))
        << shape;
  }
  EXPECT_EQ(hostile_error(op_with_shape("9223372036854775807, 0")), "fine") << "an empty tensor";
  EXPECT_EQ(hostile_error(op_with_shape("99999999999999999999")),
            "bad.json: line 1: ops[0]: a number is malformed or out of range");
  EXPECT_EQ(hostile_error(op_with_shape(repeated("1, ", 40) + "1")),
            "bad.json: ops[0].outputs[0].shape: more than 32 dimensions");
}

TEST(Hostile, HugeShapesInCapturedGraphs) {
  const std::string big = R"({"dtype":"f32","shape":[4000000000,4000000000]})";
  const std::string ops = R"({"name":"x","outputs":[)" + big + R"(],"type":"input"},
    {"name":"y","outputs":[)" +
                          big + R"(],"type":"aten.embedding.default","args":[{"op":0},{"op":0}]})";
  EXPECT_TRUE(hostile_error(R"({"format":"aten-graph/1","name":"t","mode":"infer","outputs":[],"ops":[)" + ops + "]}")
                  .starts_with("bad.json: op 'x': the size of output 0 overflows"));
}

TEST(Hostile, DeepNesting) {
  const std::size_t deep = 1'000'000;
  const std::string too_deep = "nested too deeply (at most 1024 levels)";
  EXPECT_TRUE(hostile_error(repeated("[", deep)).starts_with("bad.json: it is no JSON object"));
  EXPECT_TRUE(hostile_error(hostile_file(repeated("[", deep) + repeated("]", deep))).ends_with(too_deep));
  EXPECT_TRUE(hostile_error(hostile_file(repeated("{\"a\":", deep) + "1" + repeated("}", deep))).ends_with(too_deep));
  EXPECT_TRUE(hostile_error(repeated("{\"a\":", deep)).ends_with("is the file truncated?"));
  const std::string lists = repeated("{\"list\":[", deep) + repeated("]}", deep);
  EXPECT_TRUE(
      hostile_error(R"({"format":"aten-graph/1","name":"t","mode":"infer","outputs":[],"ops":[{"name":"a","type":"t",)"
                    R"("outputs":[],"args":[)" +
                    lists + "]}]}")
          .ends_with(too_deep));
}

TEST(Hostile, AMillionDuplicateNames) {
  const std::string op = R"({"name":"a","type":"t","outputs":[]})";
  EXPECT_EQ(hostile_error(hostile_file(repeated(op + ",", 999'999) + op)), "bad.json: two ops have the name 'a'");
  const Sample plan = plan_sample();
  std::string text = plan.text;
  const std::string entry = R"({"name": "aa", "device": "0"},)";
  text.insert(text.find("[") + 1, repeated(entry, 1'000'000));
  EXPECT_EQ(plan.read(text), "bad.json: ops[1]: the op 'aa' has been placed already");
}

TEST(Hostile, AMillionMembers) {
  std::string many = "{";
  for (int i = 0; i < 1'000'000; ++i) many += fmt::format("\"{}\":0,", i);
  EXPECT_TRUE(hostile_error(many + "\"x\":0}").starts_with("bad.json: it has no \"format\""));
  EXPECT_EQ(hostile_error(hostile_file(many + "\"x\":0}")), "bad.json: ops[0]: unknown member \"0\"");
}

TEST(Hostile, ManyDeviceModels) {
  std::string models = "\"0\"";
  for (int i = 1; i < 100'000; ++i) models += fmt::format(", \"{}\"", i);
  EXPECT_EQ(hostile_error("{\"format\": \"berth-graph/1\", \"measured_on\": [" + models + "], \"ops\": []}"),
            "bad.json: measured_on[64]: times for more than 64 device models");
}

TEST(Hostile, LongNames) {
  EXPECT_EQ(
      hostile_error(hostile_file("{\"name\": \"" + repeated("n", 1'000'000) + "\", \"type\": \"t\", \"outputs\": []}")),
      "bad.json: the name of op 0 has 1000000 characters; at most 4096 are read");
}

TEST(Hostile, Cycles) {
  EXPECT_TRUE(
      hostile_error(hostile_file(R"({"name":"a","type":"t","outputs":[{"dtype":"f32","shape":[]}],"inputs":[[1,0]]},
                                    {"name":"b","type":"t","outputs":[{"dtype":"f32","shape":[]}],"inputs":[[0,0]]})"))
          .starts_with("bad.json: the graph has a cycle of 2 ops"));
}

TEST(Hostile, CompressedFilesThatAreCutOrDamaged) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const TemporaryFolder folder;
  const std::string path = folder.file("g.json.gz");
  ASSERT_TRUE(write_file_atomically(path, native_sample().text));
  const std::string packed = read_bytes(path);
  write_bytes(path, packed.substr(0, packed.size() / 2));
  EXPECT_EQ(load_graph_file(path).error().message, path + ": the gzip data ends too early; is the file truncated?");
  std::string damaged = packed;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
  write_bytes(path, damaged);
  const auto graph = load_graph_file(path);
  ASSERT_FALSE(graph);
  EXPECT_TRUE(graph.error().message.starts_with(path + ": the gzip data is damaged (")) << graph.error().message;
}

}  // namespace
}  // namespace berth
