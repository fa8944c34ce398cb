// SPDX-License-Identifier: Apache-2.0
// Cuts a pipeline into contiguous stages so that the largest load is least (Tarnawski et al., NeurIPS 2020):
//   best(set, devices) = min over sets below it of max(best(set below, devices but one), load of the difference).
// Exact over the down-sets given. Devices of one kind are interchangeable, so `devices` is a number per kind.
//
// From every set the walk adds blocks in ascending order, which reaches each larger set once, and keeps the load of
// what it has added up to date, so that a pair of sets costs the degree of one block. It turns back where the work of a
// stage with the transfers no further block can save is over the limit, or memory is full; it starts only from sets
// whose rest still fits on the devices left (priced work, sim/bounds/work_prices.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plan/pipeline/down_sets.h"
#include "plan/pipeline/stage_problem.h"
#include "sim/bounds/work_prices.h"

namespace berth {

struct Stage {
  std::vector<std::uint32_t> blocks;
  std::size_t kind = 0;
};

struct StagePlan {
  Picoseconds largest_load = 0;
  std::vector<Stage> stages;  // in the order of the pipeline
};

struct StageLimits {
  Picoseconds load = 0;              // only plans whose largest load is at most this
  int max_devices = 64;              // stages in all
  std::vector<int> devices_of_kind;  // stages per kind
  bool memory = true;                // whether resident bytes count
};

struct StageSearch {
  std::optional<StagePlan> plan;  // the best there is, if any is within the limits
  bool complete = false;          // false: stopped early, so there may be better ones
};

// What a block's work is worth on the devices that may be used; the same for all cuts with these devices.
WorkPrices price_blocks(const PipelineModel& model, const StageProblem& stages, std::span<const int> devices_of_kind);

StageSearch cut_into_stages(const PipelineModel& model, const StageProblem& stages, const DownSets& sets,
                            const WorkPrices& prices, const StageLimits& limits,
                            const std::function<bool()>& should_stop);

}  // namespace berth
