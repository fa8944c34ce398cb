// SPDX-License-Identifier: Apache-2.0
// Shapes of ONNX models: what the file leaves out, inferred node by node from the operators' definitions, opset 7
// to 23. Small whole-number tensors are computed along the way (Shape, Gather, Concat, ...), since Reshape, Expand and
// Slice depend on them. A type without a rule leaves its outputs unknown.
#pragma once

#include "model/model.h"

namespace berth {

void infer_onnx_shapes(Model& model);

}  // namespace berth
