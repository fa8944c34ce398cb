// SPDX-License-Identifier: Apache-2.0
#include "problem/weights.h"

#include <algorithm>
#include <bit>

#include "machine/machine.h"

namespace berth {
namespace {

void sort_without_repeats(std::vector<OpId>& ops) {
  std::ranges::sort(ops);
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
}

}  // namespace

std::vector<OpId> weights_behind(const Graph& graph) {
  std::vector<OpId> weight(graph.num_ops(), kNoOp);
  for (const OpId op : graph.topological_order()) {
    if (is_resident(graph.role(op))) {
      weight[index(op)] = op;
    } else if (graph.role(op) == Role::kView) {
      weight[index(op)] = weight[index(graph.producer(graph.inputs(op).front()))];
    }
  }
  return weight;
}

std::vector<std::vector<OpId>> weights_with_readers(const Graph& graph) {
  const std::vector<OpId> weight = weights_behind(graph);
  std::vector<std::vector<OpId>> set_of(graph.num_ops());
  for (const OpId op : graph.ops()) {
    if (weight[index(op)] == kNoOp) continue;
    std::vector<OpId>& set = set_of[index(weight[index(op)])];
    set.push_back(op);
    for (const TensorId tensor : graph.outputs(op)) {
      const auto readers = graph.consumers(tensor);
      set.insert(set.end(), readers.begin(), readers.end());
    }
  }
  std::vector<std::vector<OpId>> sets;
  for (std::vector<OpId>& set : set_of) {
    sort_without_repeats(set);
    if (set.size() > 1) sets.push_back(std::move(set));
  }
  return sets;
}

CrossingWeights weights_that_cross(const Graph& graph, const Plan& plan) {
  const std::vector<OpId> weight = weights_behind(graph);
  CrossingWeights crossing;
  for (const OpId op : graph.ops()) {
    if (weight[index(op)] == kNoOp) continue;
    for (const TensorId tensor : graph.outputs(op)) {
      DeviceSet others = 0;
      for (const OpId reader : graph.consumers(tensor)) others |= device_bit(plan.device(reader));
      others &= ~device_bit(plan.device(op));
      if (others == 0) continue;
      crossing.weights.push_back(weight[index(op)]);
      crossing.bytes += graph.bytes(tensor) * std::popcount(others);
    }
  }
  sort_without_repeats(crossing.weights);
  return crossing;
}

}  // namespace berth
