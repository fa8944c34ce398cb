// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the largest load (sim/pipeline.h). A transfer is unavoidable for a unit on a device if the other end
// of it may not be there. What a unit sends is its own; what it receives it may share with others on its device, so
// that counts for a single unit only, not in the sum of all work.
#pragma once

#include "base/units.h"
#include "problem/problem.h"

namespace berth {

struct PipelineBound {
  Picoseconds work, largest_unit;
};
PipelineBound pipeline_bound(const Problem& problem);

}  // namespace berth
