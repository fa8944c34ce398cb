// SPDX-License-Identifier: Apache-2.0
// PathSummary: what the critical path of a step is made of, in sums that a person can read: which devices, links and
// kinds of ops, and why each piece is on it. And, from it, sentences that say what limits the step.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ops/cost_class.h"
#include "problem/problem.h"
#include "sim/critical_path.h"
#include "sim/timeline.h"

namespace berth::report {

struct PathSummary {
  std::vector<Picoseconds> on_device;                  // ops of the path, per device
  std::vector<Picoseconds> on_channel;                 // transfers of the path, per channel
  std::array<Picoseconds, kCostClasses> of_class{};    // ops of the path
  Picoseconds compute = 0, transfer = 0, latency = 0;  // ops, transfers, control signals between devices
  // The same time by what the next piece of the path was waiting for.
  Picoseconds for_data = 0;    // a result: a chain of dependencies
  Picoseconds for_device = 0;  // a busy device: too much work there
  Picoseconds for_link = 0;    // a busy link
  std::size_t ops = 0, transfers = 0;
  [[nodiscard]] Picoseconds total() const { return compute + transfer + latency; }
};

PathSummary summarise(const Problem& problem, std::span<const CriticalStep> path);

// "the critical path is 62 % work on gpu3 ..." and so on, the weightiest first; each a sentence without a full stop.
std::vector<std::string> what_limits(const Problem& problem, const Score& score, const PathSummary& path,
                                     Picoseconds lower_bound);

}  // namespace berth::report
