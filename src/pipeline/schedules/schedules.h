// SPDX-License-Identifier: Apache-2.0
// Schedules as rules: which forward and backward actions every device runs, in which order, for equal stages. They know
// nothing of times; list_schedule.h makes lists for stages as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/pipeline_plan.h"

namespace berth::pipeline {

// A pipeline of `places` devices, each with `chunks` stages.
struct ScheduleShape {
  std::uint32_t places = 1, chunks = 1, microbatches = 1;
  [[nodiscard]] std::uint32_t num_stages() const { return places * chunks; }
};

using Lists = std::vector<std::vector<PipelineAction>>;  // by place

struct ScheduleRule {
  std::string_view name, summary, source;
  std::uint32_t chunks;                                                  // stages of a device; 0: two or more
  bool splits;                                                           // the backward pass in two parts
  std::uint32_t (*place_of)(const ScheduleShape&, std::uint32_t stage);  // of a stage
  bool (*takes)(const ScheduleShape&);                                   // whether there are lists for that shape
  Lists (*lists)(const ScheduleShape&);
};

// In the order in which they were published.
std::span<const ScheduleRule> schedule_rules();
const ScheduleRule* find_schedule_rule(std::string_view name);

// Each microbatch of a place goes to one of its replicas, in turn.
Lists deal(const std::vector<PipelineAction>& list, std::size_t replicas);

// The most microbatches that a stage holds at once in a list: those whose forward pass has begun and whose backward
// pass has not ended.
std::uint32_t most_live(std::span<const PipelineAction> list, std::uint32_t stage);

}  // namespace berth::pipeline
