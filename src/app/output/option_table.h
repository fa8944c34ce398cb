// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runs/methods.h"

namespace berth::app {

// The options of a learned planner, with their values in every preset.
std::string option_table(const learn::MethodInfo& method, bool json);

}  // namespace berth::app
