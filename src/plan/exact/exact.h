// SPDX-License-Identifier: Apache-2.0
// `exact`: the optimal plan, placement and order together, with proof.
//
// Idea: branch and bound over partial simulations. A simulation runs until a plan could go one way or another (which
// device takes a unit, which ready op a device starts) and splits there, so that the past is exact and only the future
// is estimated; a relaxation of that future (relaxation.h) cuts what cannot beat the best plan known. Interchangeable
// devices are tried once. The limit below which all plans are looked through rises in steps, and the bound with it.
// Cost: exponential. Problems of 12 to 25 ops take milliseconds to minutes; each node a few microseconds.
// Limits: fusion is not considered. With more than kMostOps ops it only improves the best of simple plans, unit by
// unit. Where it loses: wherever the tree is too large, to every planner that spends its time on plans and none on
// proofs. Source: one-machine bound: Jackson's preemptive rule, as in Carlier (1982).
#pragma once

#include "plan/planner.h"

namespace berth {

class ExactPlanner : public Planner {
 public:
  static constexpr std::size_t kMostOps = 400;
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
