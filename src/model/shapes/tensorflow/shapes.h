// SPDX-License-Identifier: Apache-2.0
// Shapes of TensorFlow's models: what the file does not state (`_output_shapes`), inferred node by node. Loops are cut
// (import/tensorflow), so a list of tensors may be read before it is known what a loop puts into it: then all nodes are
// visited again.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

// First gives the open sizes of inputs that have a name in `sizes` their numbers; others stay names and go wherever
// they go. An error for outputs and dimensions that are far too many for the number of nodes.
Status infer_tensorflow_shapes(Model& model, const DimSizes& sizes = {});

}  // namespace berth
