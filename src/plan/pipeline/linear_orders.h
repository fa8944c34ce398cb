// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plan/pipeline/stage_problem.h"

namespace berth {

// A few different topological orders of all blocks: depth first from the front in several ways, depth first from the
// back, and the one that keeps what is under way small. Good cuts of a pipeline are usually prefixes of one of them.
// At least one; fewer than all when asked to stop, and where the last would take too long.
std::vector<std::vector<std::uint32_t>> linear_orders(const StageProblem& stages,
                                                      const std::function<bool()>& should_stop);

}  // namespace berth
