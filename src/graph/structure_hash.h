// SPDX-License-Identifier: Apache-2.0
// The hash that ties a plan to its graph: names, types, edges, dtypes and shapes, no costs.
#pragma once

#include <string>

#include "graph/graph.h"

namespace berth {

std::string structure_hash_of(const Graph& graph);  // 32 hexadecimal digits

}  // namespace berth
