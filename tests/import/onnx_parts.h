// SPDX-License-Identifier: Apache-2.0
// ONNX models in protobuf's wire format, for tests: model(WireWriter().message(1, node({...}))).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "import/onnx/onnx_model.h"
#include "model/lower.h"
#include "support/op_named.h"
#include "support/wire_writer.h"

namespace berth::onnx_test {

inline constexpr int kFloat = 1, kInt64 = 7;

inline WireWriter dims_of(const std::vector<std::int64_t>& dims) {
  WireWriter shape;
  for (const std::int64_t dim : dims) shape.message(1, WireWriter().varint(1, dim));
  return shape;
}

inline WireWriter value(std::string_view name, const WireWriter& shape) {
  return WireWriter().bytes(1, name).message(2,
                                             WireWriter().message(1, WireWriter().varint(1, kFloat).message(2, shape)));
}

inline WireWriter weight(std::string_view name, const std::vector<std::int64_t>& dims) {
  return WireWriter().packed(1, dims).varint(2, kFloat).bytes(8, name);
}

inline WireWriter integers(std::string_view name, const std::vector<std::int64_t>& numbers) {
  return WireWriter()
      .varint(1, static_cast<std::int64_t>(numbers.size()))
      .varint(2, kInt64)
      .packed(7, numbers)
      .bytes(8, name);
}

struct NodeParts {
  std::string_view name, type;
  std::vector<std::string_view> inputs, outputs;
  std::vector<WireWriter> attributes = {};
};

inline WireWriter node(const NodeParts& parts) {
  WireWriter message;
  for (const std::string_view input : parts.inputs) message.bytes(1, input);
  for (const std::string_view output : parts.outputs) message.bytes(2, output);
  message.bytes(3, parts.name).bytes(4, parts.type);
  for (const WireWriter& attribute : parts.attributes) message.message(5, attribute);
  return message;
}

inline WireWriter integer(std::string_view name, std::int64_t value) {
  return WireWriter().bytes(1, name).varint(3, value);
}
inline WireWriter list(std::string_view name, const std::vector<std::int64_t>& values) {
  return WireWriter().bytes(1, name).packed(8, values);
}

inline std::string model(const WireWriter& graph) { return WireWriter().varint(1, 8).message(7, graph).str(); }

inline Lowered lower_or_die(const std::string& bytes, const LowerOptions& options = {}) {
  auto model = read_onnx_model(bytes, "test");
  EXPECT_TRUE(model.ok()) << model.error().message;
  auto lowered = lower(*std::move(model), options);
  EXPECT_TRUE(lowered.ok()) << lowered.error().message;
  return *std::move(lowered);
}

inline std::vector<std::int64_t> sizes_of_output(const Graph& graph, std::string_view name) {
  const auto shape = graph.shape(graph.outputs(op_named(graph, name))[0]);
  return {shape.begin(), shape.end()};
}

inline WireWriter words(std::string_view name, std::string_view text) {
  return WireWriter().bytes(1, name).bytes(4, text);
}
inline WireWriter subgraph(std::string_view name, const WireWriter& graph) {
  return WireWriter().bytes(1, name).message(6, graph);
}
// Inside a function: the caller's attribute of that name.
inline WireWriter reference(std::string_view name, std::string_view of_caller) {
  return WireWriter().bytes(1, name).bytes(21, of_caller);
}

inline std::string onnx_error(const std::string& bytes) {
  const auto read = read_onnx_model(bytes, "test");
  return read ? std::string("none") : read.error().message;
}

}  // namespace berth::onnx_test
