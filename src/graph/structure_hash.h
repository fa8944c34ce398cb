// SPDX-License-Identifier: Apache-2.0
// The hash that ties a plan to its graph: names, types, edges, dtypes and shapes, no costs.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace berth {

std::string structure_hash_of(const Graph& graph);  // 32 hexadecimal digits

// The first thing that keeps a plan for one graph from being a plan for the other, for people: their ops differ in
// number, name, type or edges. Nothing if they differ in shapes, roles and costs alone.
std::optional<std::string> difference_of_ops(const Graph& a, const Graph& b);

}  // namespace berth
