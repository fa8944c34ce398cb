// SPDX-License-Identifier: Apache-2.0
// Plans near a known one: a few clusters go elsewhere, all others stay. What the policy doubts of goes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "learn/hsdag/parsing.h"

namespace berth::learn {

// How much the policy is taken to doubt of a device that it is sure of.
inline constexpr double kLeastDoubt = 0.02;

struct Surroundings {
  std::span<const float> chances;     // [clusters, devices], the policy's
  std::vector<std::uint32_t> device;  // of every cluster in the known plan
  std::vector<bool> matters;          // whether moving a cluster can make a difference
  std::vector<Pair> edges;            // between clusters, either way
};

struct Changes {
  std::vector<std::uint32_t> device;  // of every cluster now
  std::vector<bool> changed;
};

// Between one cluster and the root of their number, and rather fewer, lie anywhere and go each where it likes; or, with
// the chance `stretches`, as many and one more are a connected stretch of one device, which goes elsewhere as a whole:
// what it gains is lost again in transfers while only a part of it is there.
Changes change_a_few(const Surroundings& known, double stretches, Rng& rng);

}  // namespace berth::learn
