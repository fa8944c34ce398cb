// SPDX-License-Identifier: Apache-2.0
#include "learn/grouping/labels.h"

#include <algorithm>

#include "base/sole_number.h"

namespace berth::learn {
namespace {

std::uint32_t label_of_readers(const Graph& graph, OpId op, std::span<const std::uint8_t> backward,
                               std::span<const std::uint32_t> label) {
  SoleNumber only;
  for (const TensorId tensor : graph.outputs(op)) {
    for (const OpId consumer : graph.consumers(tensor)) {
      if (backward[index(consumer)] != 0) continue;
      if (label[index(consumer)] == kNoLabel) return kNoLabel;
      only.see(label[index(consumer)]);
    }
  }
  return only.exists() ? only.number() : kNoLabel;
}

std::uint32_t label_of_gradient(const Graph& graph, OpId op, std::span<const std::uint8_t> backward,
                                std::span<const std::uint32_t> label) {
  if (const OpId forward = graph.forward_of(op); forward != kNoOp) return label[index(forward)];
  SoleNumber of_residents, of_values;
  for (const TensorId tensor : graph.distinct_inputs(op)) {
    const OpId producer = graph.producer(tensor);
    if (backward[index(producer)] != 0 || label[index(producer)] == kNoLabel) continue;
    (is_resident(graph.role(producer)) ? of_residents : of_values).see(label[index(producer)]);
  }
  if (of_residents.exists()) return of_residents.number();
  return of_values.exists() ? of_values.number() : kNoLabel;
}

}  // namespace

void spread_labels(const Graph& graph, std::span<const std::uint8_t> backward, std::vector<std::uint32_t>& label) {
  for (const OpId op : graph.ops()) {
    if (is_resident(graph.role(op))) label[index(op)] = label_of_readers(graph, op, backward, label);
  }
  for (const OpId op : graph.topological_order()) {
    if (backward[index(op)] != 0) label[index(op)] = label_of_gradient(graph, op, backward, label);
  }
}

Grouping join_labelled(const Problem& problem, const Grouping& finer, std::span<const std::uint32_t> label) {
  std::uint32_t next = 0;
  for (const std::uint32_t given : label) next = given == kNoLabel ? next : std::max(next, given + 1);
  std::vector<std::uint32_t> every(label.begin(), label.end());
  for (std::uint32_t& one : every) one = one == kNoLabel ? next++ : one;
  return join_equal_labels(problem, finer, every);
}

}  // namespace berth::learn
