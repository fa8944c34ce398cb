// SPDX-License-Identifier: Apache-2.0
#include "learn/colocrl/paper_groups.h"

#include <algorithm>
#include <vector>

#include "learn/grouping/cells.h"
#include "learn/grouping/convs.h"
#include "learn/grouping/labels.h"
#include "problem/cost/op_class.h"

namespace berth::learn {
namespace {

constexpr std::size_t kRecurrent = 188, kAttentional = 280, kConvolutional = 83, kOther = 256;

// Whether a matrix product reads an op's first output, as it is or through views, of which a file may chain any number.
bool is_multiplied(const Graph& graph, OpId op) {
  std::vector<OpId> shown{op};  // makers of the same data
  while (!shown.empty()) {
    const IdRange<TensorId> outputs = graph.outputs(shown.back());
    shown.pop_back();
    if (outputs.empty()) continue;
    for (const OpId consumer : graph.consumers(*outputs.begin())) {
      if (graph.role(consumer) == Role::kView) {
        shown.push_back(consumer);
      } else if (class_of(graph, consumer) == CostClass::kMatmul) {
        return true;
      }
    }
  }
  return false;
}

// Attention: values weighted by a softmax, or one op for all of it.
bool attends(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute || graph.outputs(op).empty()) continue;
    const CostClass kind = class_of(graph, op);
    if (kind == CostClass::kAttention || (kind == CostClass::kSoftmax && is_multiplied(graph, op))) return true;
  }
  return false;
}

bool convolves(const Graph& graph) {
  for (const OpId op : graph.ops()) {
    if (is_convolution(graph, op)) return true;
  }
  return false;
}

}  // namespace

std::size_t paper_groups(const Graph& graph) {
  const bool has_cells = std::ranges::any_of(cell_labels(graph), [](std::uint32_t cell) { return cell != kNoLabel; });
  const bool has_attention = attends(graph);
  if (has_cells) return has_attention ? kAttentional : kRecurrent;
  return convolves(graph) && !has_attention ? kConvolutional : kOther;
}

}  // namespace berth::learn
