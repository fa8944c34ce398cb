// SPDX-License-Identifier: Apache-2.0
// Weights: parameters, buffers and constants, which are there before the step begins, also as views show them. A plan
// that has a weight on another device than an op that reads it sends the weight over a link in every step.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "problem/plan.h"

namespace berth {

// Indexed by OpId: the weight that the op is, or that it is a view of (of a view); kNoOp for all others.
std::vector<OpId> weights_behind(const Graph& graph);

// One set for every weight that is read: the weight, its views, and the ops that read any of them; ascending.
std::vector<std::vector<OpId>> weights_with_readers(const Graph& graph);

struct CrossingWeights {
  std::vector<OpId> weights;  // that are sent in a step, themselves or as a view; ascending
  Bytes bytes = 0;            // of all their transfers: each tensor once per device that it is sent to
  [[nodiscard]] std::size_t count() const { return weights.size(); }
};

// The plan must have a device for every op.
CrossingWeights weights_that_cross(const Graph& graph, const Plan& plan);

}  // namespace berth
