// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

// The first difference between a timeline and that of the reference simulator, in words; nothing if they agree to the
// picosecond and the byte. Lanes and the culprit of an overflow, which the reference does not name, must make sense.
std::optional<std::string> difference(const Problem& problem, const Timeline& timeline, const Timeline& reference);

}  // namespace berth
