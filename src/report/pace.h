// SPDX-License-Identifier: Apache-2.0
// What sets the pace of samples that stream through a plan: the objective `pipeline`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace berth::report {

// "gpu3: 12.3 ms per sample, 10.1 ms of ops and 2.20 ms of transfers", or the link that carries most.
std::string pace_text(const Problem& problem, const Plan& plan);

// The same as sentences without a full stop, and how much the device that comes next has to do.
std::vector<std::string> what_sets_the_pace(const Problem& problem, const Plan& plan);

// For plans of a single step: "if samples streamed through it (objective pipeline), link gpu0>gpu1 would set the
// pace: 12.3 ms per sample". None for a training step, of which each waits for the one before, and where one device
// does all the work.
std::optional<std::string> about_pace(const Problem& problem, const Plan& plan);

}  // namespace berth::report
