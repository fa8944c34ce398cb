// SPDX-License-Identifier: Apache-2.0
// m-ETF of Baechi (Jeon et al., 2020): of all ready ops and devices with room, again and again the pair that can start
// first, with one transfer at a time on every link queue and tensors that are sent once. earliest_task_first.h is the
// engine, baechi_groups.h the pre-pass.
//
// Where it loses: it does not look ahead. An idle device takes the next op although the tensors that op makes will have
// to come back, and nothing keeps the critical path first.
#pragma once

#include "plan/planner.h"

namespace berth {

class MEtfPlanner final : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
