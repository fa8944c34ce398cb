// SPDX-License-Identifier: Apache-2.0
// The pipeline half of `auto`: the best plan of a few members, among them the best contiguous one (plan/pipeline/dp.h),
// then annealing that leaves contiguous plans behind (plan/pipeline/pipeline_annealer.h), every thread on its own from
// the same start.
#pragma once

#include "plan/planner.h"

namespace berth {

// Portfolio, then search; sets the note. For Objective::kPipeline.
Result<Plan> plan_pipeline(Search& search);

}  // namespace berth
