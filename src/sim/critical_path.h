// SPDX-License-Identifier: Apache-2.0
// The critical path of a simulated step: the chain of ops, transfers and waits without a gap that ends with the last
// op. It is what must become shorter for the step to become shorter.
#pragma once

#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

struct CriticalStep {
  enum class Why : std::uint8_t {
    kStart,   // nothing before it: it starts at time 0
    kInput,   // it started when the step before it delivered the last thing it needed
    kDevice,  // it was ready earlier; the step before it held the lane
    kLink,    // it was requested earlier; the step before it held the link
  };
  bool is_transfer = false;
  OpId op = kNoOp;              // the op, or the producer of what is sent
  TensorId tensor{};            // of a transfer
  DeviceId device = kNoDevice;  // of the op, or the destination
  int channel = -1;             // of a transfer
  Picoseconds start = 0, end = 0;
  Why why = Why::kStart;
};

// Steps in order of time; timeless ops on the way are left out. The gap between two steps, if any, is the latency of a
// control edge, or, on a machine without overlap, the cost of a region.
std::vector<CriticalStep> critical_path(const Problem& problem, const Plan& plan, const Timeline& timeline);

}  // namespace berth
