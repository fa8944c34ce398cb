// SPDX-License-Identifier: Apache-2.0
// OpenVINO IR (.xml), versions 10 and 11, as a Model. The .bin with the weights is neither needed nor read.
//
// - A Parameter is an input, a Result an output of the model; neither becomes a node.
// - A Const is a parameter if it holds weights, else a constant. Weights are: floating or quantised numbers (8 bits and
//   less), more than 16 of them, or more than one in at least two dimensions. So biases (1,64,1,1) and scales are
//   parameters, while axes, shapes, tables of whole numbers and single factors are constants.
// - ReadValue and Assign work on a buffer named after their variable_id and share its colocation group, "state:ID";
//   Assign comes after ReadValue.
// - Loop, TensorIterator and If stay one node (bodies.h says why and how). It has the attributes `body_flops` and
//   `body_bytes` (of all turns), `body_turns` and `body_turns_known`, and reads the constants inside its body as
//   further inputs.
// - Types are those of the file; layers of no standard opset have theirs in front: "extension.Fused". Attributes are
//   typed as ir_words.h says.
// - Dynamic sizes are named after the layer and the axis, "concat.2", "split:1.0" for a second output; rules replace
//   these names where sizes come from others (model/shapes/openvino). Long names are cut. A value without <dim> is a
//   scalar, or of unknown rank if it comes from a Parameter of any rank: the file does not tell them apart.
// - Outputs that nothing reads, behind the last that is read, are left out: runtimes do not make the indices of a
//   MaxPool that nobody asks for.
// - source_nodes are the layers, source_edges the distinct (output, consumer) pairs, bodies not counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace berth {

// Loops whose number of turns, or that of a loop inside, the file does not tell are listed in Model::open_loops and
// turn `open_turns` times.
Result<Model> read_openvino_model(std::string_view xml, std::int64_t open_turns = 1);

}  // namespace berth
