// SPDX-License-Identifier: Apache-2.0
// How far real steps are from predictions: what was seen over many plans and graphs (docs/reality.md), and, after a
// calibration, over its own runs.
#pragma once

#include <span>
#include <vector>

#include "machine/machine.h"

namespace berth {

// Of a machine whose devices and links were measured, but no graph on it.
Accuracy probed_accuracy(std::span<const Device> devices);
// Of a graph's calibration; `ratios`: measured over predicted step times of its runs across devices.
Accuracy calibrated_accuracy(std::span<const Device> devices, std::vector<double> ratios);

}  // namespace berth
