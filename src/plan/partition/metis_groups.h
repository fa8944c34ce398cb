// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "plan/coarsen/grouping.h"

namespace berth {

// Units in at most `groups` groups of about equal work that exchange little (METIS, all parts at once where that
// works). What no worker (plan/search/placement.h) may run is not cut: it is a group of its own. More groups than asked
// for only where units may not be together. Error where METIS is left out of this build.
Result<Grouping> metis_groups(const Problem& problem, std::size_t groups, std::uint64_t seed);

}  // namespace berth
