// SPDX-License-Identifier: Apache-2.0
// Leaderboards and suites for programs.
#pragma once

#include <string>
#include <vector>

#include "services/bench/leaderboard.h"

namespace berth {

std::string bench_json(const BenchAnswer& answer);

// All suites, or one with what is known of its problems.
std::string suites_json();
std::string suite_json(const Suite& suite, const std::vector<BenchRow>& rows);

}  // namespace berth
