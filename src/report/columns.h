// SPDX-License-Identifier: Apache-2.0
// Columns: how far to the right each op of a drawn graph stands, so that edges point to the right.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace berth::report {

// Per op: one more than the highest column it waits for. Parameters and constants could all stand in the first one;
// they are drawn beside those that use them first.
std::vector<std::uint32_t> find_columns(const Graph& graph);

}  // namespace berth::report
