// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/constraint_flags.h"
#include "app/outcome.h"

namespace berth::app {

// A plan from a file, judged. It must be for this graph, and obey the constraints.
Result<Outcome> score_file(const std::string& path, const ConstraintFlags& constraints, const Problem& problem);

}  // namespace berth::app
