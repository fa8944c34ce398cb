// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/loops.h"

#include <algorithm>

namespace berth::tensorflow {
namespace {

bool is_type(const FlatNode& node, std::string_view type, std::string_view reference_type) {
  return node.type() == type || node.type() == reference_type;
}
bool is_next_iteration(const FlatNode& node) { return is_type(node, "NextIteration", "RefNextIteration"); }

void cut(FlatGraph& graph) {
  for (FlatNode& node : graph.nodes) {
    if (!is_type(node, "Merge", "RefMerge")) continue;
    std::erase_if(node.inputs, [&](const TensorRef& input) { return is_next_iteration(graph.nodes[input.node]); });
  }
}

template <typename Visit>
void for_each_predecessor(const FlatNode& node, const Visit& visit) {
  for (const TensorRef& input : node.inputs) visit(input.node);
  for (const std::uint32_t before : node.control) visit(before);
}

// From a node that waits for ever back to one that waits for itself.
Error cycle_error(const FlatGraph& graph, const std::vector<std::uint32_t>& waiting_for) {
  const auto is_stuck = [&](std::uint32_t node) { return waiting_for[node] > 0; };
  std::uint32_t node = 0;
  while (!is_stuck(node)) ++node;
  std::vector<char> seen(graph.nodes.size(), 0);
  while (seen[node] == 0) {
    seen[node] = 1;
    std::uint32_t before = node;
    for_each_predecessor(graph.nodes[node], [&](std::uint32_t other) {
      if (is_stuck(other)) before = other;
    });
    node = before;
  }
  return bad_input("node '{}' depends on itself, and no NextIteration cuts the cycle", graph.nodes[node].name);
}

Result<std::vector<std::uint32_t>> topological_order(const FlatGraph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::uint32_t> waiting_for(count, 0), first(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for_each_predecessor(graph.nodes[i], [&](std::uint32_t before) {
      ++waiting_for[i];
      ++first[before + 1];
    });
  }
  for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> consumers(first[count]), fill(first.begin(), first.end() - 1), order;
  for (std::uint32_t i = 0; i < count; ++i) {
    for_each_predecessor(graph.nodes[i], [&](std::uint32_t before) { consumers[fill[before]++] = i; });
  }
  order.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (waiting_for[i] == 0) order.push_back(i);
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (std::uint32_t at = first[order[done]]; at < first[order[done] + 1]; ++at) {
      if (--waiting_for[consumers[at]] == 0) order.push_back(consumers[at]);
    }
  }
  if (order.size() < count) return cycle_error(graph, waiting_for);
  return order;
}

// Enter goes into a loop, and what stands behind an Exit is outside again. Adds to the loops of functions.
void count_loops_around(FlatGraph& graph, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> frames(graph.nodes.size(), 0);
  for (const std::uint32_t i : order) {
    FlatNode& node = graph.nodes[i];
    std::uint32_t frame = 0;
    for_each_predecessor(node, [&](std::uint32_t before) {
      const bool left = is_type(graph.nodes[before], "Exit", "RefExit") && frames[before] > 0;
      frame = std::max(frame, frames[before] - (left ? 1U : 0U));
    });
    frames[i] = frame + (is_type(node, "Enter", "RefEnter") ? 1U : 0U);
    node.loop_depth += frames[i];
  }
}

}  // namespace

Result<std::vector<std::uint32_t>> cut_loops(FlatGraph& graph, TensorFlowReport& report) {
  cut(graph);
  BERTH_TRY(std::vector<std::uint32_t> order, topological_order(graph));
  count_loops_around(graph, order);
  for (const FlatNode& node : graph.nodes) {
    if (node.type() == "LoopCond") report.loops.push_back(node.name);
    if (node.loop_depth > 0) ++report.loop_nodes;
  }
  return order;
}

}  // namespace berth::tensorflow
