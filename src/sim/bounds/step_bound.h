// SPDX-License-Identifier: Apache-2.0
// All bounds of the time of a step on a machine that does things at the same time.
#pragma once

#include "sim/bounds/bounds.h"

namespace berth {

LowerBound step_bound(const Problem& problem, bool fusion_allowed);

}  // namespace berth
