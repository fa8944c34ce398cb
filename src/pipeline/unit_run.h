// SPDX-License-Identifier: Apache-2.0
// A pipeline judged by units: an action starts when all its inputs are there and its device is free, runs its ops one
// after the other, and sends when it ends. Times and memory are those of the full expansion (expansion.h) under the
// simulator, to the picosecond and the byte, at a cost that does not grow with ops times microbatches but for memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/pipeline_plan.h"
#include "pipeline/staged_step.h"
#include "sim/timeline.h"

namespace berth::pipeline {

// When an action ran; updates of a stage have no microbatch and stand for themselves.
struct ActionTime {
  PipelineAction action = {};
  bool is_update = false;
  DeviceId device{};
  Picoseconds start = 0, end = 0;
};

struct UnitTimeline {
  Score score;                      // overflow.op is none: units have no ops
  std::vector<ActionTime> actions;  // device by device, in order; updates last
  // Share of the time of the devices with stages in which they do nothing.
  [[nodiscard]] double bubble() const;
};

enum class MemoryCheck : std::uint8_t { kNone, kExact };

// The plan must pass verify() and have the stages of the cut, all devices must be able to run their stages (can_run).
// An error says that actions wait for each other in a circle.
Result<UnitTimeline> run_units(const StagedStep& staged, const PipelinePlan& plan,
                               MemoryCheck memory = MemoryCheck::kExact);

// Whether a device can run everything of a stage.
bool can_run(const StagedStep& staged, std::uint32_t stage, DeviceId device);

// Where the inputs of microbatches wait: on the first CPU, if there is one.
std::optional<DeviceId> home_of_inputs(const Machine& machine);

// Time of all cells of a form on a device.
Picoseconds form_time(const StagedStep& staged, std::uint32_t stage, std::size_t form, DeviceId device);

}  // namespace berth::pipeline
