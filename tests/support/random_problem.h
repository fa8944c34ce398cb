// SPDX-License-Identifier: Apache-2.0
// Random problems and plans that visit every corner of the simulator's rules: all roles, views of views, multi-output
// and outputless ops, unused outputs, zero-time ops, zero-byte tensors, repeated inputs, updates, control edges,
// colocation; meshes, stars, switches, two hosts, buses, half duplex, one-way ports, uncontended and timeless links,
// pools, lanes; priorities with ties and fusion groups. Most times are a few picoseconds, so that many events coincide
// exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/rng.h"
#include "problem/problem.h"

namespace berth {

// Graph of about that many ops on a random machine. The same seed gives the same problem everywhere.
Problem random_problem(Rng& rng, std::size_t ops, Execution execution = {});

// A legal plan: units anywhere they may be, priorities none, tied or all different, fusion groups or none.
Plan random_plan(const Problem& problem, Rng& rng);

// Everything about a case, in lines a person can read.
std::string describe(const Problem& problem, const Plan& plan);

}  // namespace berth
