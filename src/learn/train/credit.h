// SPDX-License-Identifier: Apache-2.0
// Which steps of an episode a reward is credited to. Elsewhere every plan is an episode of its own.
#pragma once

#include <vector>

#include "runs/options/sampling.h"

namespace berth::learn {

// `weights`: of plans, episode by episode of `steps` each.
//   kPlan        every plan for itself
//   kDiscounted  that of step i (1 is the first) times discount^i, as in the paper of HSDAG
//   kShared      all steps alike: the sum over the episode, the newest with weight 1 and each earlier one times the
//               discount once more, as in its released code
std::vector<double> credit_steps(std::vector<double> weights, Credit rule, double discount, std::size_t steps);

}  // namespace berth::learn
