// SPDX-License-Identifier: Apache-2.0
// Lists for stages as they are, by list scheduling: again and again the action that can start first is run, backward
// before forward, gradients of weights where nothing else could start. How many microbatches a stage may hold at once
// is a limit. Transfers take the time they would take alone. Source of the idea: Adam, Chandy and Dickson, "A
// Comparison of List Schedules for Parallel Processing Systems", CACM 1974. Greedy, so it can lose to a rule; the
// search tries both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/schedules/schedules.h"
#include "pipeline/staged_step.h"

namespace berth::pipeline {

struct ListRequest {
  std::span<const DeviceId> devices;  // of every stage
  std::uint32_t microbatches = 1;
  std::span<const std::uint32_t> limits;  // per stage: microbatches held at once, at least 1
  bool split = true;                      // the backward pass in two parts
};

// Lists by DeviceId.
Lists list_schedule(const StagedStep& staged, const ListRequest& request);

}  // namespace berth::pipeline
