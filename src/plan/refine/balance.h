// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/refine/moves.h"

namespace berth {

// A device that the move at hand would give more work than `most` gives other groups away, until none has too much;
// false if there is too much for that. Where all devices are busy almost all the time, hardly any move pays without
// another in return.
[[nodiscard]] bool balance_work(const MoveContext& context, Picoseconds most);

}  // namespace berth
