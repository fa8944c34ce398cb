// SPDX-License-Identifier: Apache-2.0
// Shapes of ONNX models: what the file leaves out, inferred node by node from the operators' definitions, opset 7
// to 24, and those of onnxruntime. Small whole-number tensors are computed along the way (Shape, Gather, Concat, ...),
// since Reshape, Expand and Slice depend on them. A type without a rule leaves its outputs unknown.
//
// Sizes that only a run can tell (NonZero, NonMaxSuppression, Compress, Unique) are named after their node, "NODE.i",
// and have the size that is given, else 1; they are listed in Model::open_sizes.
//
// Subgraphs: an If is replaced by one of its branches (model/shapes/onnx/branches.h); loops
// (model/shapes/onnx/bodies.h) get the attributes `body_flops` and `body_bytes` (of all turns), `body_turns` and
// `body_turns_known`, or kBodyOverflow (model/node_info.h), and those whose length stays open are listed in
// Model::open_loops.
#pragma once

#include "model/model.h"
#include "model/sizes.h"

namespace berth {

// `given` are the sizes that the user gives; those of named dimensions are in the model already. Loops whose length the
// file does not tell turn loop_turns(given) times.
void infer_onnx_shapes(Model& model, const DimSizes& given = {});

}  // namespace berth
