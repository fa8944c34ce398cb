// SPDX-License-Identifier: Apache-2.0
// Crossings: tensors that go from one device to another, and what each is worth. A crossing can be done without in two
// ways: what makes the tensor moves to where it is used, or what uses it there moves to where it is made. Both are
// simulated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "problem/problem.h"
#include "sim/critical_path.h"
#include "sim/timeline.h"

namespace berth::report {

class Mover;  // report/moves.h

struct Crossing {
  TensorId tensor{};
  DeviceId from = kNoDevice, to = kNoDevice;
  Bytes bytes = 0;
  Picoseconds sending = 0;   // on its links, all hops
  Picoseconds waiting = 0;   // for busy links
  Picoseconds critical = 0;  // of `sending`, on the critical path
  std::size_t users = 0;     // ops on `to` that use it
};

// Those that cost most: time on the critical path first, then time on links.
std::vector<Crossing> costliest_crossings(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                          std::span<const CriticalStep> path, std::size_t most);

// The better way to do without a crossing.
struct Without {
  OpId op = kNoOp;  // that moves, the first of them
  DeviceId to = kNoDevice;
  std::size_t ops = 0;        // that move
  Picoseconds step_time = 0;  // then
  bool feasible = true;
};
// None if constraints allow neither way.
std::optional<Without> without(const Problem& problem, const Plan& plan, const Crossing& crossing, Mover& mover);

}  // namespace berth::report
