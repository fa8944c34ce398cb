// SPDX-License-Identifier: Apache-2.0
// Plans as a local search makes them: a base with a few ops elsewhere.
#pragma once

#include "base/rng.h"
#include "problem/problem.h"

namespace berth {

// The base with one to four units elsewhere; sometimes they take along what they read that is there from the start, and
// all who read that. Legal if the base is.
Plan nearby_plan(const Problem& problem, const Plan& base, Rng& rng);

}  // namespace berth
