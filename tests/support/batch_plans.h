// SPDX-License-Identifier: Apache-2.0
// Plans as batches take them, and what runs of the batch simulator's loop must say of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "problem/problem.h"
#include "sim/batch/host_run.h"
#include "sim/timeline.h"

namespace berth {

// Random and legal, as random_plan(), but without fusions.
Plan unfused_plan(const Problem& problem, Rng& rng);

std::vector<std::uint8_t> device_bytes(const Plan& plan);

// Time and peaks of the last run, to the last bit.
void expect_same(const Score& expected, const batch::HostRun& run);

}  // namespace berth
