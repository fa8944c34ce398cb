// SPDX-License-Identifier: Apache-2.0
// Whether lists of actions are the orders that DeepSpeed and Megatron have built in, since those take no list.
//
// One forward, one backward: rank r of p runs min(p - r - 1, m) forward passes ahead and then one of each in turn
// (Narayanan et al., 2019, PipeDream-Flush; 2021 for Megatron). Interleaved, with v stages per rank in loop order:
// forward passes go through the rank's stages in groups of p microbatches, backward passes the other way round, 2 (p -
// r - 1) + (v - 1) p forward passes ahead (Narayanan et al., 2021, section 2.2).
#pragma once

#include "export/training/lanes.h"

namespace berth {

// For one stage per rank the first, for more the second; nothing where stages are in another order, or with several
// stages per rank and microbatches that are no groups of p.
bool is_1f1b(const PipelineLane& lane);

}  // namespace berth
