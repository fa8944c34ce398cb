// SPDX-License-Identifier: Apache-2.0
// A pipeline with replicas as several without: frameworks run a pipeline of one rank per stage, as often as there are
// replicas, each with microbatches of its own, and add the gradients up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/pipeline_plan.h"
#include "machine/machine.h"

namespace berth {

struct PipelineLane {
  std::vector<DeviceId> ranks = {};              // in the order of their first stages
  std::vector<std::uint32_t> rank_of = {};       // of a stage
  std::vector<std::uint32_t> microbatches = {};  // of the plan, in the order in which the last stage takes them
  // By rank, with the microbatches numbered as they stand in `microbatches`: the last stage takes them in order.
  std::vector<std::vector<PipelineAction>> actions = {};

  bool operator==(const PipelineLane&) const = default;
};

// One, if no stage has replicas. An error if microbatches that meet on some device part on another, or if a device has
// nothing to do; `runtime` is who cannot run that.
Result<std::vector<PipelineLane>> lanes_of(const PipelinePlan& plan, const Machine& machine, std::string_view runtime);

// Whether all lanes have as many microbatches, the same stages on their ranks, and the same lists.
bool are_alike(std::span<const PipelineLane> lanes);

// The stages of a rank, in order.
std::vector<std::uint32_t> stages_of(const PipelineLane& lane, std::size_t rank);

// Where the stages are: stage s on rank s % p, or on two trips, forth and back.
enum class StageOrder : std::uint8_t { kLoop, kV };
std::optional<StageOrder> stage_order(const PipelineLane& lane);

}  // namespace berth
