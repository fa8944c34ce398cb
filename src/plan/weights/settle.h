// SPDX-License-Identifier: Apache-2.0
// Weights settled with their readers. A weight takes no time anywhere, so planners that place by time have no reason to
// keep it near; on another device than its reader it is sent anew in every step. It stays apart only where that pays:
// in time, or because the reader's memory does not hold it.
#pragma once

#include "plan/planner.h"

namespace berth {

// The plan with every weight where most of it is read (problem/weight_families.h). Breaks no constraint that the plan
// meets; may need more memory on some device.
Plan with_settled_weights(const Problem& problem, Plan plan);

// submit() (plan/search/placement.h) for planners whose rule says nothing of weights: the plan with settled weights, or
// as it is where only that fits in memory. One evaluation; two or three where the settled one does not fit. The last is
// that of the plan returned.
inline constexpr std::uint64_t kEvaluationsToSettle = 3;  // at most
Result<Plan> submit_settled(Search& search, Plan plan, std::string_view planner);

// Of a finished search: settles as many weights as can be without a worse score or more bytes on links. Goes beyond the
// budget by 2 % at most. Does nothing where plans are measured.
Plan settle_for_free(Search& search, Plan plan);

}  // namespace berth
