// SPDX-License-Identifier: Apache-2.0
// A small problem made of groups: what a planner for a few dozen ops can solve.
//
// A group becomes a few ops that share a device: its parameters and the like, its inputs, its forward pass, its
// backward pass and its updates, each with the summed time of its members on every device. Tensors that leave such a
// part stay tensors; those with the same readers are sent as one. What a part uses up inside itself takes no memory.
// Parts that depend on each other both ways cannot run one after the other: their groups are joined.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "plan/coarsen/grouping.h"

namespace berth {

struct CoarseProblem {
  Problem problem;
  std::vector<OpId> op_of;  // indexed by op of the fine problem: the op that stands for it
};

// Limits on devices and reserved memory carry over, a limit on crossings does not. Fails when groups that must be
// joined have no device in common.
Result<CoarseProblem> make_coarse_problem(const Problem& fine, const Grouping& grouping);

}  // namespace berth
