// SPDX-License-Identifier: Apache-2.0
// What the file states of every tensor of a step: types, shapes and numbers of variables, constants and inputs, and the
// shapes that it notes for the others (`_output_shapes`). What follows from it is for model/shapes/tensorflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/flat_graph.h"
#include "import/tensorflow/step.h"

namespace berth::tensorflow {

struct Facts {
  std::optional<DType> dtype = {};
  std::optional<Shape> shape = {};
  std::optional<std::vector<std::int64_t>> contents = {};  // of small constants of whole numbers
};

// Per node and output; none for nodes that are not part of the step. Every output that somebody reads is there.
Result<std::vector<std::vector<Facts>>> find_facts(const FlatGraph& graph, std::span<const std::uint32_t> order,
                                                   const Step& step);

}  // namespace berth::tensorflow
