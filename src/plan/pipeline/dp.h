// SPDX-License-Identifier: Apache-2.0
// `dp`: dynamic programming over the down-sets of the graph (plan/pipeline/stage_dp.h). For the pipeline objective it
// gives the best of all contiguous plans, those that cut the forward pass into stages, with colocation, memory and
// unequal devices; backward ops follow their forward ops. Where there are too many down-sets it looks at the prefixes
// of several linear orders only, and says so. For the step objective it cuts linear orders into 1, 2, ... stages on the
// accelerators and keeps what simulates best.
//
// Cost: a pair of nested down-sets within the limit costs the degree of one block; a linear order of n blocks has at
// most n^2 / 2 pairs, a wide graph has exponentially many down-sets (17,914 for a GNMT of 96 layers).
// Source: Tarnawski et al., "Efficient Algorithms for Device Placement of DNN Graph Operators", NeurIPS 2020.
// Where it loses: plans that return to a device (two stages on one device, or parallel branches interleaved) can be
// better than every contiguous one; `auto` looks for those. For the step objective a chain of stages runs one device at
// a time, so it only buys memory.
#pragma once

#include "plan/planner.h"

namespace berth {

class DpPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
