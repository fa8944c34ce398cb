// SPDX-License-Identifier: Apache-2.0
// Groupings that know nothing of what ops do: by chance and by module.
#pragma once

#include <cstdint>

#include "plan/coarsen/grouping.h"

namespace berth::learn {

// Every unit in a random one of `groups` groups, among those of the units that may be on the same devices: each such
// kind of unit has its share of the groups, at least one. More than `groups` only where kinds may not be together.
Grouping random_grouping(const Problem& problem, std::size_t groups, std::uint64_t seed);

// Ops of one module, by the deepest level of module paths with at most `groups` of them; what is too many, as for being
// without a path, joins as in heavy_grouping.
Grouping module_grouping(const Problem& problem, std::size_t groups);

// Units that are together in both.
Grouping common_parts(const Problem& problem, const Grouping& a, const Grouping& b);

}  // namespace berth::learn
