// SPDX-License-Identifier: Apache-2.0
// What bounds the step of a plan, or why an op is where it is, for programs.
#pragma once

#include <string>

#include "services/explain/explain.h"

namespace berth {

std::string explanation_json(const LoadedProblem& loaded, const Outcome& outcome, const Explanation& why);

}  // namespace berth
