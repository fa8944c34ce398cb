// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace berth {

// Nodes so that each comes after those it reads from or waits for; equal ones as the file has them. Nodes on or behind
// a cycle are left out: the graph's builder names them.
std::vector<std::uint32_t> topological_order(const Model& model);

}  // namespace berth
