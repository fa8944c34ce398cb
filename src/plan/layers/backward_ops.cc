// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/backward_ops.h"

namespace berth {
namespace {

// Ops from which an update op can be reached over data edges.
std::vector<std::uint8_t> reaches_update(const Graph& graph) {
  std::vector<std::uint8_t> reaches(graph.num_ops(), 0);
  const auto order = graph.topological_order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const OpId op = *at;
    if (graph.updated_parameter(op) != kNoOp) reaches[index(op)] = 1;
    if (reaches[index(op)] == 0) continue;
    for (const TensorId tensor : graph.distinct_inputs(op)) reaches[index(graph.producer(tensor))] = 1;
  }
  return reaches;
}

// Consumers of the loss; empty if there is none that leads to an update.
std::vector<OpId> readers_of_loss(const Graph& graph, const std::vector<std::uint8_t>& reaches) {
  const auto order = graph.topological_order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const OpId op = *at;
    for (const TensorId tensor : graph.outputs(op)) {
      if (!graph.is_graph_output(tensor)) continue;
      std::vector<OpId> readers;
      for (const OpId consumer : graph.consumers(tensor)) {
        if (reaches[index(consumer)] != 0) readers.push_back(consumer);
      }
      if (!readers.empty()) return readers;
    }
  }
  return {};
}

bool type_says_gradient(const std::string& type) {
  return type.find("backward") != std::string::npos || type.ends_with("Grad") || type.ends_with("_grad");
}

}  // namespace

std::vector<std::uint8_t> backward_ops(const Graph& graph) {
  std::vector<std::uint8_t> backward(graph.num_ops(), 0);
  for (const OpId op : readers_of_loss(graph, reaches_update(graph))) backward[index(op)] = 1;
  for (const OpId op : graph.topological_order()) {
    std::uint8_t& here = backward[index(op)];
    if (graph.forward_of(op) != kNoOp || graph.updated_parameter(op) != kNoOp || type_says_gradient(graph.type(op)))
      here = 1;
    if (here == 0) continue;
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.consumers(tensor)) backward[index(consumer)] = 1;
    }
  }
  return backward;
}

}  // namespace berth
