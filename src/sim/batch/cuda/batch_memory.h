// SPDX-License-Identifier: Apache-2.0
// The memory of a batch on the card: every part for all its plans, in tiles of plans that lie interleaved.
#pragma once

#include <cuda_runtime.h>

#include "sim/batch/event_loop.h"

namespace berth::batch {

struct BatchMemory {
  std::uint32_t* nodes;
  std::uint16_t* counters;
  std::uint32_t* ready;
  std::uint32_t* queued;
  std::uint32_t* timeless;
  Time* delay_ends;
  std::uint32_t* delayed;
  std::uint64_t* ranks;
  std::uint32_t* since;
  Capacities capacities;
};

BERTH_PORTABLE std::uint32_t rank_words_of_plan(const CompactView& problem) {
  return problem.num_devices * rank_words_of_device(problem.num_ops);
}

template <std::uint32_t kTile, typename T>
__device__ __forceinline__ T* of_plan(T* part, std::uint32_t plan, std::size_t size) {
  return part == nullptr ? nullptr : part + static_cast<std::size_t>(plan / kTile) * size * kTile + plan % kTile;
}

template <std::uint32_t kTile>
__device__ __forceinline__ Workspace<kTile> workspace_of(const CompactView& problem, const BatchMemory& memory,
                                                         std::uint32_t plan) {
  const Capacities& room = memory.capacities;
  return {of_plan<kTile>(memory.nodes, plan, problem.num_nodes),
          of_plan<kTile>(memory.counters, plan, problem.num_counters),
          of_plan<kTile>(memory.ready, plan, std::size_t{problem.num_devices} * room.ready),
          of_plan<kTile>(memory.queued, plan, std::size_t{problem.num_queues} * room.queued),
          of_plan<kTile>(memory.timeless, plan, room.timeless),
          of_plan<kTile>(memory.delay_ends, plan, room.delayed),
          of_plan<kTile>(memory.delayed, plan, room.delayed),
          of_plan<kTile>(memory.ranks, plan, rank_words_of_plan(problem)),
          of_plan<kTile>(memory.since, plan, problem.num_nodes),
          room};
}

}  // namespace berth::batch
