// SPDX-License-Identifier: Apache-2.0
// Constants folded: nodes whose result is known before the step (they depend on weights and constants alone, or on
// shapes that are fixed) are replaced by what they make. What a weight was made into stays a parameter, or where the
// step reads the weight itself too, becomes a constant beside it; another name of the same tensor (Identity, a read of
// a variable) is replaced by the tensor itself. Not folded is what reads a variable that the step writes, and what goes
// round in a loop. Leaves that nobody reads any more are dropped; control edges from folded nodes too.
#pragma once

#include "model/model.h"

namespace berth {

void fold_constants(Model& model);

}  // namespace berth
