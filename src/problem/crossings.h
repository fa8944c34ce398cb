// SPDX-License-Identifier: Apache-2.0
// How much a plan sends between devices.
#pragma once

#include "graph/graph.h"
#include "problem/plan.h"

namespace berth {

// Bytes of every tensor, once per device it is sent to, whatever the route.
Bytes bytes_crossed(const Graph& graph, const Plan& plan);

}  // namespace berth
