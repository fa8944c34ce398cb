// SPDX-License-Identifier: Apache-2.0
// What a decision was worth: rewards of single steps, returns, and how far a return is above those of the other
// episodes at the same step.
#pragma once

#include <vector>

#include "base/result.h"
#include "learn/distributed/communicator.h"
#include "runs/methods/placeto.h"

namespace berth::learn {

using PerEpisode = std::vector<std::vector<double>>;  // [episode][step]

// `worth` has, for every episode, the start and then what came of each step; larger is better. A step's reward is what
// it adds. Returns, as `kind` says:
//   kDrop   the rewards from this step on, each later one times `discount` once more: with 1 all that is yet gained
//   kBest   the best that is yet to come, less what there was before the step
//   kFinal  what the episode ends with
PerEpisode returns_of(const PerEpisode& worth, Returns kind, double discount);

// Each return less the mean of the others' at the same step, over the episodes of all ranks, which must have as many
// steps. (The publication takes the mean of the last ten episodes; with episodes side by side there is no need to
// remember any, and nothing lags behind the policy.) `spread` becomes the root of the mean square of what is left.
Status subtract_others(PerEpisode& returns, Communicator& communicator, double& spread);

}  // namespace berth::learn
