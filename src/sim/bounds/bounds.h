// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the objective: no legal plan can be faster.
#pragma once

#include "base/units.h"
#include "problem/problem.h"

namespace berth {

struct LowerBound {
  Picoseconds critical_path = 0;            // every op on its fastest allowed device, no transfers
  Picoseconds work = 0;                     // work spread fractionally over all devices
  Picoseconds combined = 0;                 // longest way in + work that starts no earlier than it + shortest way out
  Picoseconds interval = 0;                 // some stretch of the step must hold what it can (interval_bound.h)
  Picoseconds sequence = 0;                 // without overlap alone: everything at its fastest, one after the other
  Picoseconds largest_unit = 0;             // pipeline alone: a unit and the transfers it cannot avoid
  [[nodiscard]] Picoseconds value() const;  // the largest
};

// With fusion allowed the bound counts the compute parts alone. For the pipeline objective, where fusion saves nothing,
// it is made of `work` and `largest_unit`. On a machine without overlap it is `sequence`, which no path exceeds.
LowerBound lower_bound(const Problem& problem, bool fusion_allowed = false);

}  // namespace berth
