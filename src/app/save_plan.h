// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "app/outcome.h"

namespace berth::app {

// Writes the plan of an outcome, with what it predicts, to a plan file; whole or not at all. `also_for` are the hashes
// of other graphs that it was made for.
Status save_plan(const std::string& path, const Problem& problem, const Outcome& outcome,
                 std::span<const std::string> also_for = {});

}  // namespace berth::app
