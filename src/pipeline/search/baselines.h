// SPDX-License-Identifier: Apache-2.0
// What people do without a planner, to compare with: all accelerators in the order of the machine, 1f1b, nothing run
// again.
//   equal layers       as many layers in each stage, give or take one
//   equal parameters   cut where the sum of parameters passes each share
//   equal work         PipeDream's balance on devices taken for equal to the first: the slowest stage is as fast as can
//   be data parallel      the whole model on every device, microbatches dealt by speed, gradients summed by a ring one
//   device         the whole model on the fastest device that can hold it
// The first again with recomputation in every stage: "equal layers, recomputed".
#pragma once

#include <string>
#include <vector>

#include "pipeline/search/block_costs.h"

namespace berth::pipeline {

struct Baseline {
  std::string name;
  Cut cut;
  PipelinePlan plan;
};

std::vector<Baseline> make_baselines(const BlockCosts& costs, const std::vector<DeviceId>& devices,
                                     std::uint32_t microbatches);

}  // namespace berth::pipeline
