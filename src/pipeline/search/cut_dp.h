// SPDX-License-Identifier: Apache-2.0
// Cuts the blocks into one stage per place, for devices in a given order: dynamic programming with the devices' own
// speeds, memories and links. A step of m microbatches takes about (m - 1) times the slowest stage or link plus one way
// through all of them; for every bound on the slowest, the program finds the cut with the shortest way.
//
// Cost: places * blocks^2 per bound. Source of the measure: Fan et al., "DAPPLE", PPoPP 2021, and Narayanan et al.,
// PipeDream, SOSP 2019. Where it loses: what is held is summed block by block, links are taken as free, and schedules
// differ in what they hold; the timeline by units judges, and the search (planning.h) moves borders.
#pragma once

#include <span>
#include <vector>

#include "pipeline/search/block_costs.h"

namespace berth::pipeline {

struct CutRequest {
  std::span<const DeviceId> places;  // the device of every stage; one may come several times
  std::uint32_t microbatches = 1;
  bool may_recompute = true;
  std::size_t bounds = 48;  // on the slowest stage that are tried
  bool heed_memory = true;
};

struct FoundCut {
  Cut cut;
  Picoseconds estimate = 0;
};

// Cuts that differ, the best estimate first, at most so many; none if no stage fits where it should be.
std::vector<FoundCut> find_cuts(const BlockCosts& costs, const CutRequest& request, std::size_t most = 1);

}  // namespace berth::pipeline
