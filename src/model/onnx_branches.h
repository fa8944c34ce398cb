// SPDX-License-Identifier: Apache-2.0
// If of ONNX: one of its two branches takes its place, so that the ops inside can be placed one by one. A condition
// that is known, from constants or from shapes, decides; else the branch with more nodes is taken, and that is noted in
// Model::open_branches.
#pragma once

#include "model/model.h"
#include "model/sizes.h"

namespace berth {

// Replaces every If of the model; branches may hold further ones. `symbols` are the sizes that names have in the model.
// True if there were any.
bool write_out_branches(Model& model, const DimSizes& symbols);

}  // namespace berth
