// SPDX-License-Identifier: Apache-2.0
// What is known of every tensor of a step: from the file, from the rules, from the sizes that the user gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/flat_graph.h"
#include "import/tensorflow/shape_rules.h"
#include "import/tensorflow/step.h"

namespace berth::tensorflow {

// Per node and output; none for nodes that are not part of the step. Every output that somebody reads is there.
// Contents are only kept for constants.
Result<std::vector<std::vector<Facts>>> find_facts(const FlatGraph& graph, std::span<const std::uint32_t> order,
                                                   const Step& step, const TensorFlowOptions& options,
                                                   TensorFlowReport& report);

}  // namespace berth::tensorflow
