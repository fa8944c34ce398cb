// SPDX-License-Identifier: Apache-2.0
// m-TOPO of Baechi (Jeon et al., 2020): ops in topological order fill one device after another. The cap of a device is
// its share of all bytes (parameters and outputs) plus the largest group; shares go by capacity, which on equal devices
// is total / n. Groups move together, gradients with their forward ops.
//
// Cost: O(ops + edges). Where it loses: everywhere but in memory. It cuts by bytes, not by time, and blocks of a
// feed-forward model take turns.
#pragma once

#include "plan/planner.h"

namespace berth {

class MTopoPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
