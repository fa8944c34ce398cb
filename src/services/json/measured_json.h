// SPDX-License-Identifier: Apache-2.0
// What real runs took, for programs.
#pragma once

#include <string>

#include "services/measure/calibrate.h"
#include "services/measure/measure.h"

namespace berth {

// One plan is one object, several are the member "plans".
std::string measure_json(const MeasureAnswer& answer);
std::string calibrate_json(const CalibrateAnswer& answer);

}  // namespace berth
