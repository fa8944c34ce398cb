// SPDX-License-Identifier: Apache-2.0
// Schedule search: for problems small enough to be scheduled tens of thousands of times a second. Searches over lists
// of ops; a decoder (plan/explore/list_decoder.h) turns a list into devices and starts, and the simulator judges the
// plan.
//
// An iterated local search: the present list is disturbed (all keys a little, or a few ops moved), then justified twice
// (Valls, Ballestin and Quintanilla 2005): scheduled, scheduled backward from the end in the order of the ends, and
// forward again, which closes gaps that a single pass leaves. Where devices differ, ops may also get or lose a wish for
// a device. A list that is no worse becomes the present one.
//
// Cost: three passes of the decoder and up to two evaluations per list. Where it loses: contention of links is unknown
// to the decoder, and every list is a change to the whole schedule, so on graphs beyond a few thousand ops a local
// search that simulates moves (plan/refine/annealer.h) does more with its time.
#pragma once

#include "plan/planner.h"

namespace berth {

// Betters search.best_plan(), or finds a first plan, until the search has to stop or the lower bound is reached. Does
// nothing for the pipeline objective, which knows no order. Finds no plan at all only where limits on devices or
// crossings are beyond it.
void search_lists(Search& search);

}  // namespace berth
