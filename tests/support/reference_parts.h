// SPDX-License-Identifier: Apache-2.0
// The three steps of the reference simulator: what runs (tasks), when (clock), and what it holds meanwhile (memory).
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth::reference {

// One thing that runs as a whole: an op, or a fused group (rule 6).
struct Task {
  OpId id = kNoOp;  // the lowest member
  std::vector<OpId> members;
  bool fused = false;
  DeviceId device = kNoDevice;
  double priority = 0.0;
  Picoseconds duration = 0;
  std::set<TensorId> inputs;      // distinct, made outside
  std::set<std::size_t> control;  // tasks that must have ended
  std::set<TensorId> outputs;     // what it makes; of a group only what leaves it
};

struct Tasks {
  std::vector<Task> all;
  std::vector<std::size_t> of_op;  // indexed by OpId
};

Tasks make_tasks(const Problem& problem, const Plan& plan);

// One tensor on its way to one device, with the hops it has begun.
struct Transfer {
  struct Hop {
    int channel = -1;
    Picoseconds start = 0, end = 0;
  };
  enum class State { kAtEndpoint, kQueued, kMoving, kArrived };

  TensorId tensor{};
  DeviceId from = kNoDevice, to = kNoDevice;
  State state = State::kAtEndpoint;
  std::vector<Hop> hops;
};

// When everything happened. The first three are indexed like Tasks::all.
struct History {
  std::vector<Picoseconds> ready, start, end;
  std::vector<Transfer> transfers;
  Picoseconds step_time = 0;
};

History run_clock(const Problem& problem, const Tasks& tasks);

// Rule 8, for machines without overlap.
bool is_constant(const Problem& problem, const Tasks& tasks, std::size_t task);
History run_regions(const Problem& problem, const Tasks& tasks);

// Fills peaks, feasibility and overflow (rule 5).
void judge_memory(const Problem& problem, const Tasks& tasks, const History& history, Score& score);

}  // namespace berth::reference
