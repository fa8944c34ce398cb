// SPDX-License-Identifier: Apache-2.0
// What ops cost on the devices that ran them: their times (median), plus their share of what the step took beyond all
// ops: starting them, views, the executor itself. What is more than that can be was a slow step, and scales all ops. If
// they took more than the step (GPUs, when every op is timed), all are scaled to it. Runs on one device alone come
// first, since nothing disturbs them but what else the computer does: on CPUs the least disturbed of several runs
// counts.
#pragma once

#include <vector>

#include "measure/calibration.h"

namespace berth {

// Fills `seconds` of what was run, and `overhead_s`.
void take_times(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration);

}  // namespace berth
