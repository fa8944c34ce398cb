// SPDX-License-Identifier: Apache-2.0
// Plans become words of nodes: from their devices, or from a base and moves.
#pragma once

#include "sim/batch/cuda/batch_memory.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/launch.h"

namespace berth::batch {

// Every op of every plan: [plan * num_ops + op], or with one base for all.
template <std::uint32_t kTile>
__global__ void place_ops(CompactView problem, std::uint32_t* nodes, const std::uint8_t* devices, std::uint32_t plans,
                          bool is_base) {
  const std::uint64_t total = static_cast<std::uint64_t>((plans + kTile - 1) / kTile) * kTile * problem.num_ops;
  for_each_index(total, [&](std::uint64_t i) {
    const auto op = static_cast<std::uint32_t>(i / kTile % problem.num_ops);
    const auto plan = static_cast<std::uint32_t>(i / kTile / problem.num_ops * kTile + i % kTile);
    if (plan >= plans) return;
    const std::uint32_t device = is_base ? devices[op] : devices[static_cast<std::size_t>(plan) * problem.num_ops + op];
    of_plan<kTile>(nodes, plan, problem.num_nodes)[static_cast<std::size_t>(problem.node_of[op]) * kTile] =
        problem.waits[op] | device;
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
__global__ void move_ops(CompactView problem, std::uint32_t* nodes, MovesOnCard moves, std::uint32_t plans) {
  for_each_index(plans, [&](std::uint64_t i) {
    const auto plan = static_cast<std::uint32_t>(i);
    std::uint32_t* words = of_plan<kTile>(nodes, plan, problem.num_nodes);
    moves.for_each(plan, [&](const CudaMove& move) {
      std::uint32_t& word = words[static_cast<std::size_t>(problem.node_of[move.op]) * kTile];
      word = (word & ~kDeviceMask) | move.device;
    });
  });
}

}  // namespace berth::batch
