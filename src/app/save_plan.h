// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/outcome.h"

namespace berth::app {

// Writes the plan of an outcome, with what it predicts, to a plan file; whole or not at all.
Status save_plan(const std::string& path, const Problem& problem, const Outcome& outcome);

}  // namespace berth::app
