// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/options.h"
#include "base/result.h"
#include "cost/problem.h"

namespace berth::app {

// An error where the objective has no timeline for `who` to follow. `instead` is what to do where the user has asked for
// that objective: "leave --objective out to see one step of the plan".
Status check_has_timeline(std::string_view who, std::string_view instead, const Problem& problem,
                          const ProblemFlags& flags);

}  // namespace berth::app
