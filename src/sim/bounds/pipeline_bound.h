// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/bounds/bounds.h"

namespace berth {

// Lower bound of the largest load (sim/pipeline.h).
LowerBound pipeline_bound(const Problem& problem);

}  // namespace berth
