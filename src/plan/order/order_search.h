// SPDX-License-Identifier: Apache-2.0
// Local search over the priorities of one placement. Most moves look at the critical path: an op on it that was ready
// but waited for its device is put before one that had the device meanwhile. The rest swap the priorities of two ops of
// one device, or draw one anew. A move is taken if it is at most a slack above the best, a slack that shrinks with time
// (record-to-record travel, Dueck 1993).
//
// Cost: the whole budget, unless the lower bound is reached. Where it loses: with one lane and nothing to wait for, no
// order is better than another, and it finds that out only by trying.
#pragma once

#include "plan/planner.h"

namespace berth {

// The best plan found; devices and fusion groups are those of the start, which passes verify() and has been evaluated.
// Returns the start for the pipeline objective, which knows no order.
Plan search_order(Search& search, Plan start);

}  // namespace berth
