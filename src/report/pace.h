// SPDX-License-Identifier: Apache-2.0
// What would set the pace if samples streamed through a plan: the objective `pipeline`, which has no timeline and so no
// report of its own.
#pragma once

#include <optional>
#include <string>

#include "cost/problem.h"

namespace berth::report {

// "if samples streamed through it (objective pipeline), link gpu0>gpu1 would set the pace: 12.3 ms per sample". None
// for a training step, of which each waits for the one before, and where one device does all the work.
std::optional<std::string> about_pace(const Problem& problem, const Plan& plan);

}  // namespace berth::report
