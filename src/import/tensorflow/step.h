// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph are part of the step: see tensorflow_graph.h for the rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/tensorflow/flat_graph.h"

namespace berth::tensorflow {

struct Step {
  std::vector<char> keeps;         // per node
  std::vector<TensorRef> outputs;  // wanted, or of all that nobody consumes: the first output stands for the node
};

// `order` is topological.
Step select_step(const FlatGraph& graph, std::span<const std::uint32_t> order, TensorFlowReport& report);

}  // namespace berth::tensorflow
