// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: a folder that goes away, raw bytes on disk, the data folder, and comparing
// graphs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/gzip.h"
#include "files/zip_member.h"
#include "graph/graph.h"
#include "support/folders.h"

namespace berth {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "berth_io_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether this build has gzip, or reads zip files; tests that need it skip without.
inline bool has_gzip() { return gzip("").ok(); }
inline bool has_zip() {
  const auto first = [](std::span<const std::string>) { return Result<std::size_t>(std::size_t{0}); };
  return read_zip_member("", first).error().message.find("BERTH_ZIP=OFF") == std::string::npos;
}

// Files of the data folder's sub-folder, sorted; empty where the folder is missing.
inline std::vector<std::string> data_files(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / folder, missing)) {
    if (entry.path().string().ends_with(extension)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

template <typename Range>
auto as_vector(const Range& range) {
  return std::vector(range.begin(), range.end());
}

inline std::string group_name(const Graph& graph, OpId op) {
  const int group = graph.colocation_group(op);
  return group < 0 ? "" : graph.colocation_names()[static_cast<std::size_t>(group)];
}

// Expects that two graphs are equal in everything a Graph holds.
inline void expect_equal_op(const Graph& a, const Graph& b, OpId op) {
  SCOPED_TRACE(a.name(op));
  EXPECT_EQ(a.name(op), b.name(op));
  EXPECT_EQ(a.type(op), b.type(op));
  EXPECT_EQ(a.role(op), b.role(op));
  EXPECT_EQ(a.flops(op), b.flops(op));
  EXPECT_EQ(a.bytes_touched(op), b.bytes_touched(op));
  EXPECT_EQ(a.module(op), b.module(op));
  EXPECT_EQ(a.label(op), b.label(op));
  EXPECT_EQ(a.attributes(op), b.attributes(op));
  EXPECT_EQ(group_name(a, op), group_name(b, op));
  EXPECT_EQ(a.allowed_kinds(op), b.allowed_kinds(op));
  EXPECT_EQ(a.updated_parameter(op), b.updated_parameter(op));
  EXPECT_EQ(a.is_trained(op), b.is_trained(op));
  EXPECT_EQ(a.forward_of(op), b.forward_of(op));
  EXPECT_EQ(as_vector(a.inputs(op)), as_vector(b.inputs(op)));
  EXPECT_EQ(as_vector(a.control_inputs(op)), as_vector(b.control_inputs(op)));
  EXPECT_EQ(a.outputs(op).size(), b.outputs(op).size());
}

inline void expect_equal(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.num_ops(), b.num_ops());
  ASSERT_EQ(a.num_tensors(), b.num_tensors());
  for (const OpId op : a.ops()) expect_equal_op(a, b, op);
  for (const TensorId tensor : a.tensors()) {
    EXPECT_EQ(a.producer(tensor), b.producer(tensor));
    EXPECT_EQ(a.dtype(tensor), b.dtype(tensor));
    EXPECT_EQ(as_vector(a.shape(tensor)), as_vector(b.shape(tensor)));
    EXPECT_EQ(a.bytes(tensor), b.bytes(tensor));
  }
  EXPECT_EQ(a.structure_hash(), b.structure_hash());
  EXPECT_EQ(a.title(), b.title());
  EXPECT_EQ(a.optimizer(), b.optimizer());
  EXPECT_EQ(as_vector(a.graph_outputs()), as_vector(b.graph_outputs()));
  EXPECT_EQ(as_vector(a.topological_order()), as_vector(b.topological_order()));
  EXPECT_EQ(a.source_nodes(), b.source_nodes());
  EXPECT_EQ(a.source_edges(), b.source_edges());
  ASSERT_EQ(a.measured().size(), b.measured().size());
  for (std::size_t model = 0; model < a.measured().size(); ++model) {
    EXPECT_EQ(a.measured()[model].device_model, b.measured()[model].device_model);
    EXPECT_EQ(a.measured()[model].seconds, b.measured()[model].seconds);
  }
}

}  // namespace berth
