// SPDX-License-Identifier: Apache-2.0
// Whether it pays for the plans of a batch to begin at moments of their base's run.
#pragma once

#include "sim/batch/base_run.h"
#include "sim/batch/plan_batch.h"

namespace berth::batch {

// The share of full runs that need not be run, on average over a sample of the plans, which must be moves of the
// recorded base.
double share_saved(const CompactView& problem, const BaseRun& base, const PlanBatch& plans);

}  // namespace berth::batch
