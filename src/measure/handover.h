// SPDX-License-Identifier: Apache-2.0
// What it takes to hand work from one device to another beyond the copy itself: threads that wake each other, streams
// that wait. No single transfer shows it, plans with many small crossings do.
#pragma once

#include <vector>

#include "measure/calibration.h"

namespace berth {

// A few cheap units, in many places of the graph, on `other`; the rest on `base`.
Plan scattered_plan(const Problem& problem, DeviceId base, DeviceId other);

// Adds to the latency of every fitted link what makes the predictions of runs on several devices come true as far as
// one number can.
void fit_handovers(const Problem& problem, const std::vector<CalibrationRun>& runs, Calibration& calibration);

}  // namespace berth
