// SPDX-License-Identifier: Apache-2.0
// A graph as text, one op a line, and small questions about graphs, for the tests of the zoo.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "graph/graph.h"
#include "zoo/zoo.h"

namespace berth {

inline std::string shape_text(const Graph& graph, TensorId tensor) {
  return fmt::format("[{}]", fmt::join(graph.shape(tensor), ","));
}

inline std::string input_text(const Graph& graph, TensorId tensor) {
  const OpId producer = graph.producer(tensor);
  const int output = graph.output_index(tensor);
  return output == 0 ? std::string(graph.name(producer)) : fmt::format("{}:{}", graph.name(producer), output);
}

// "name = type(inputs) [shape] [shape] flops=.. of=forward op updates=parameter".
inline std::string op_text(const Graph& graph, OpId op) {
  std::string inputs;
  for (const TensorId tensor : graph.inputs(op)) {
    if (!inputs.empty()) inputs += ", ";
    inputs += input_text(graph, tensor);
  }
  std::string text = fmt::format("{} = {}({})", graph.name(op), graph.type(op), inputs);
  for (const TensorId tensor : graph.outputs(op)) text += fmt::format(" {}", shape_text(graph, tensor));
  if (graph.flops(op) > 0) text += fmt::format(" flops={}", graph.flops(op));
  if (graph.forward_of(op) != kNoOp) text += fmt::format(" of={}", graph.name(graph.forward_of(op)));
  if (graph.updated_parameter(op) != kNoOp) text += fmt::format(" updates={}", graph.name(graph.updated_parameter(op)));
  return text;
}

inline std::string graph_text(const Graph& graph) {
  std::string text;
  for (const OpId op : graph.ops()) text += op_text(graph, op) + "\n";
  return text;
}

inline Graph must_build(const std::string& spec) {
  Result<Graph> graph = build_zoo_model(spec);
  EXPECT_TRUE(graph.ok()) << spec << ": " << (graph.ok() ? "" : graph.error().message);
  return std::move(graph).value();
}

inline double parameter_count(const Graph& graph) {
  double count = 0;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kParameter) continue;
    double elements = 1;
    for (const std::int64_t dim : graph.shape(graph.outputs(op)[0])) elements *= static_cast<double>(dim);
    count += elements;
  }
  return count;
}

inline std::map<std::string, int> type_counts(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const OpId op : graph.ops()) ++counts[graph.type(op)];
  return counts;
}

}  // namespace berth
