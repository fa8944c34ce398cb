// SPDX-License-Identifier: Apache-2.0
// Constants folded: nodes whose result is known before the step (they depend on weights and constants alone, or on
// shapes that are fixed) are replaced by what they make. What a weight was made into stays a parameter, or where the
// step reads the weight itself too, becomes a constant beside it; another name of the same tensor (Identity, a read of
// a variable) is replaced by the tensor itself, and so is the Convert behind a weight that OpenVINO has saved in half
// precision. Not folded is what reads a variable that the step writes, what goes round in a loop, and what makes
// quantised weights (8 bits and less) larger than they are stored. Leaves that nobody reads any more are dropped;
// control edges from folded nodes too.
#pragma once

#include "model/model.h"

namespace berth {

void fold_constants(Model& model);

}  // namespace berth
