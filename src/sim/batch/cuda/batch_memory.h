// SPDX-License-Identifier: Apache-2.0
// The memory of a batch on the card: every part for all its plans, in tiles of plans that lie interleaved.
#pragma once

#include <cuda_runtime.h>

#include "sim/batch/loop/event_loop.h"

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

// Plans that begin at moments of a base sit in the order of these.
struct Starts {
  const std::uint32_t* plan_at = nullptr;  // [seat]; without: plans sit as they came, and begin at the beginning
  const std::uint32_t* moment = nullptr;   // [seat]

  __device__ __forceinline__ std::uint32_t plan(std::uint32_t seat) const {
    return plan_at == nullptr ? seat : plan_at[seat];
  }
};

BERTH_PORTABLE std::uint32_t rank_words_of_plan(const CompactView& problem) {
  return problem.num_devices * rank_words_of_device(problem.num_ops);
}

template <std::uint32_t kTile, typename T>
__device__ __forceinline__ T* of_seat(T* part, std::uint32_t seat, std::size_t size) {
  return part == nullptr ? nullptr : part + static_cast<std::size_t>(seat / kTile) * size * kTile + seat % kTile;
}

template <std::uint32_t kTile>
__device__ __forceinline__ Workspace<kTile> workspace_of(const CompactView& problem, const BatchMemory& memory,
                                                         std::uint32_t seat) {
  const Capacities& room = memory.capacities;
  return {of_seat<kTile>(memory.nodes, seat, problem.num_nodes),
          of_seat<kTile>(memory.counters, seat, problem.num_counters),
          of_seat<kTile>(memory.ready, seat, std::size_t{problem.num_devices} * room.ready),
          of_seat<kTile>(memory.queued, seat, std::size_t{problem.num_queues} * room.queued),
          of_seat<kTile>(memory.timeless, seat, room.timeless),
          of_seat<kTile>(memory.delay_ends, seat, room.delayed),
          of_seat<kTile>(memory.delayed, seat, room.delayed),
          of_seat<kTile>(memory.ranks, seat, rank_words_of_plan(problem)),
          of_seat<kTile>(memory.since, seat, problem.num_nodes),
          room};
}

}  // namespace berth::batch
