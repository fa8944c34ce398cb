// SPDX-License-Identifier: Apache-2.0
// The down-sets (ideals) of a StageProblem's blocks as a graph: an edge adds one block to a set. All of them where that
// is few enough, or those of one linear order, which has one more than it has blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plan/pipeline/stage_problem.h"

namespace berth {

struct DownSets {
  struct Step {
    std::uint32_t block, target;  // adding this block gives that set
  };
  // Sets by size: the first is empty, the last is full. Steps of set s: steps[begin[s] .. begin[s + 1]), by block.
  std::vector<std::uint32_t> begin;
  std::vector<Step> steps;
  // Sets at which a stage may begin or end; empty: all. Wide steps between them make long orders affordable.
  std::vector<std::uint8_t> is_cut = {};
  // One way each set came to be, for its members: before[s] and the block last[s]. Not for the empty set.
  std::vector<std::uint32_t> before, last;

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
};

// Nothing if there are more than `most` of them or should_stop() says so.
std::optional<DownSets> find_down_sets(const StageProblem& stages, std::size_t most,
                                       const std::function<bool()>& should_stop);

// Of a topological order of all blocks. With more than `most_cuts` of them, stages may be cut only where, within
// stretches of equal length, the transfers under way take the least time.
DownSets down_sets_of_order(const StageProblem& stages, std::span<const std::uint32_t> order, std::size_t most_cuts);

}  // namespace berth
