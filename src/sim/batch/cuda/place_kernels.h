// SPDX-License-Identifier: Apache-2.0
// Plans become words of nodes: from their devices, from a base and moves, or from moments of the base's run.
#pragma once

#include "sim/batch/cuda/batch_memory.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/launch.h"
#include "sim/batch/loop/first_effect.h"

namespace berth::batch {

// Every op of every plan: [plan * num_ops + op], or with one base for all, in which an op may be nowhere if every plan
// moves it.
template <std::uint32_t kTile>
__global__ void place_ops(CompactView problem, std::uint32_t* nodes, const std::uint8_t* devices, std::uint32_t plans,
                          bool is_base) {
  const std::uint64_t total = static_cast<std::uint64_t>((plans + kTile - 1) / kTile) * kTile * problem.num_ops;
  for_each_index(total, [&](std::uint64_t i) {
    const auto op = static_cast<std::uint32_t>(i / kTile % problem.num_ops);
    const auto plan = static_cast<std::uint32_t>(i / kTile / problem.num_ops * kTile + i % kTile);
    if (plan >= plans) return;
    const std::uint32_t device = is_base ? devices[op] : devices[static_cast<std::size_t>(plan) * problem.num_ops + op];
    of_seat<kTile>(nodes, plan, problem.num_nodes)[static_cast<std::size_t>(problem.node_of[op]) * kTile] =
        problem.waits[op] | (device & kDeviceMask);
  });
}

// The moves of a plan; `moves` begins with those of the first plan.
struct MovesOnCard {
  const CudaMove* moves;
  const std::uint32_t* first_move;

  template <typename Body>
  __device__ __forceinline__ void for_each(std::uint32_t plan, Body body) const {
    for (std::uint32_t i = first_move[plan]; i < first_move[plan + 1]; ++i) body(moves[i - first_move[0]]);
  }
};

template <std::uint32_t kTile>
__global__ void move_ops(CompactView problem, std::uint32_t* nodes, MovesOnCard moves, Starts starts,
                         std::uint32_t plans) {
  for_each_index(plans, [&](std::uint64_t i) {
    const auto seat = static_cast<std::uint32_t>(i);
    std::uint32_t* words = of_seat<kTile>(nodes, seat, problem.num_nodes);
    moves.for_each(starts.plan(seat), [&](const CudaMove& move) {
      std::uint32_t& word = words[static_cast<std::size_t>(problem.node_of[move.op]) * kTile];
      word = (word & ~kDeviceMask) | move.device;
    });
  });
}

// One part of a workspace, `size` values a plan, as it was at the moment where the plan begins.
template <std::uint32_t kTile, typename T>
__global__ void restore_part(T* part, const T* of_moments, std::uint32_t size, const std::uint32_t* moment,
                             std::uint32_t plans) {
  const std::uint64_t total = static_cast<std::uint64_t>((plans + kTile - 1) / kTile) * kTile * size;
  for_each_index(total, [&](std::uint64_t i) {
    const auto place = static_cast<std::uint32_t>(i / kTile % size);
    const auto seat = static_cast<std::uint32_t>(i / kTile / size * kTile + i % kTile);
    if (seat < plans) part[i] = of_moments[static_cast<std::size_t>(moment[seat]) * size + place];
  });
}

// The moment of the base at which every plan may begin. Nodes say where ops are.
template <std::uint32_t kTile>
__global__ void find_moments(CompactView problem, const std::uint32_t* nodes, MovesOnCard moves, BaseTimes base,
                             Snapshots snapshots, std::uint32_t* moment, std::uint32_t plans) {
  for_each_index(plans, [&](std::uint64_t i) {
    const auto plan = static_cast<std::uint32_t>(i);
    const std::uint32_t* words = of_seat<kTile>(nodes, plan, problem.num_nodes);
    const auto where = [&](std::uint32_t node) { return device_of(words[static_cast<std::size_t>(node) * kTile]); };
    const FirstEffect effect(problem, base, where);
    std::uint32_t first = kNoEffect;
    moves.for_each(plan, [&](const CudaMove& move) {
      if (first == 0) return;
      const std::uint32_t instant = effect.of(problem.node_of[move.op]);
      if (instant < first) first = instant;
    });
    moment[plan] = moment_before(snapshots, first);
  });
}

}  // namespace berth::batch
