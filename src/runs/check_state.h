// SPDX-License-Identifier: Apache-2.0
// Whether what a checkpoint holds belongs to the run that is to go on from it. Nothing of it is believed: plans are
// verified, and simulated once more.
#pragma once

#include <span>

#include "base/result.h"
#include "problem/problem.h"
#include "runs/train_state.h"

namespace berth::learn {

// Whether a run can go on from `state`: it has the tensors of `fresh`, which the untrained policy of the run has, and
// its best plans are plans of the problems with the scores that these have there. `epochs`: most steps of an update.
Status check_state(const TrainState& state, const TrainState& fresh, std::span<const Problem* const> problems,
                   int epochs);
// For those that take the plans alone, and judge them anew.
Status check_plans(const LessonState& lesson, const Problem& problem);

}  // namespace berth::learn
