// SPDX-License-Identifier: Apache-2.0
// Bodies of ONNX nodes: If has two, Loop and Scan one. Other nodes with subgraphs are refused, since it is not known
// how they run them.
#pragma once

#include "base/result.h"
#include "import/onnx/onnx_graph.h"

namespace berth {

bool has_subgraph(const OnnxNode& node);

// Reads the subgraphs of `node` into `added`, which has its own inputs and outputs already; what the bodies see of the
// graph around them becomes further inputs.
Status add_bodies(const OnnxNode& node, Node& added, OnnxFile& file, const OnnxPlace& place);

}  // namespace berth
