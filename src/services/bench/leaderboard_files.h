// SPDX-License-Identifier: Apache-2.0
// A leaderboard as files that others read.
#pragma once

#include <string>

#include "services/bench/bench.h"

namespace berth {

// A line for every run.
std::string leaderboard_csv(const BenchAnswer& answer);

// A page by itself: nothing is loaded from elsewhere, no script runs; for light and dark screens.
std::string leaderboard_html(const BenchAnswer& answer);

}  // namespace berth
