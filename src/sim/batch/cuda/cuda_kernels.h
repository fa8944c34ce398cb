// SPDX-License-Identifier: Apache-2.0
// What runs on the card: plans become words of nodes, and a thread per plan runs the event loop.
#pragma once

#include <cuda_runtime.h>

#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/event_loop.h"
#include "sim/batch/urgency.h"

namespace berth::batch {

// The memory of a batch, each part for all its plans in tiles.
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
          of_plan<kTile>(memory.ranks, plan, std::size_t{problem.num_devices} * rank_words_of_device(problem.num_ops)),
          of_plan<kTile>(memory.since, plan, problem.num_nodes),
          room};
}

// Every op of every plan: [plan * num_ops + op], or with one base for all.
template <std::uint32_t kTile>
__global__ void place_ops(CompactView problem, std::uint32_t* nodes, const std::uint8_t* devices, std::uint32_t plans,
                          bool is_base) {
  const std::uint64_t total = static_cast<std::uint64_t>((plans + kTile - 1) / kTile) * kTile * problem.num_ops;
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < total; i += step) {
    const auto op = static_cast<std::uint32_t>(i / kTile % problem.num_ops);
    const auto plan = static_cast<std::uint32_t>(i / kTile / problem.num_ops * kTile + i % kTile);
    if (plan >= plans) continue;
    const std::uint32_t device = is_base ? devices[op] : devices[static_cast<std::size_t>(plan) * problem.num_ops + op];
    of_plan<kTile>(nodes, plan, problem.num_nodes)[static_cast<std::size_t>(problem.node_of[op]) * kTile] =
        problem.waits[op] | device;
  }
}

template <std::uint32_t kTile>
__global__ void move_ops(CompactView problem, std::uint32_t* nodes, const CudaMove* moves,
                         const std::uint32_t* first_move, std::uint32_t plans) {
  const std::uint32_t plan = blockIdx.x * blockDim.x + threadIdx.x;
  if (plan >= plans) return;
  std::uint32_t* words = of_plan<kTile>(nodes, plan, problem.num_nodes);
  for (std::uint32_t i = first_move[plan]; i < first_move[plan + 1]; ++i) {
    const CudaMove move = moves[i];
    words[static_cast<std::size_t>(problem.node_of[move.op]) * kTile] = problem.waits[move.op] | move.device;
  }
}

// Priorities of every plan as keys that ascend with the place of an op, and the ops.
static __global__ void rank_keys(const double* priorities, std::uint64_t* keys, std::uint32_t* ops,
                                 std::uint32_t num_ops, std::uint64_t total) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < total; i += step) {
    keys[i] = ~urgency_of(priorities[i]);
    ops[i] = static_cast<std::uint32_t>(i % num_ops);
  }
}

// The tables of Ranks of every plan, from its ops in order.
static __global__ void fill_ranks(CompactView problem, const std::uint64_t* keys, const std::uint32_t* ops,
                                  std::uint32_t* of_node, std::uint32_t* node_at, std::uint32_t* tie_end,
                                  std::uint64_t total) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < total; i += step) {
    const std::uint64_t plan = i / problem.num_ops, row = plan * problem.num_ops;
    const auto rank = static_cast<std::uint32_t>(i - row);
    const std::uint32_t node = problem.node_of[ops[i]];
    node_at[i] = node;
    of_node[plan * problem.num_nodes + node] = rank;
    std::uint32_t low = rank + 1, high = problem.num_ops;  // the first rank with another priority
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (keys[row + middle] == keys[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    tie_end[i] = low;
  }
}

// Copies a small table into shared memory and points at it from now on.
template <typename T>
__device__ __forceinline__ char* keep_close(const T*& table, std::uint32_t size, char* at) {
  T* close = reinterpret_cast<T*>(at);
  for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) close[i] = table[i];
  table = close;
  return at + (size * sizeof(T) + 15) / 16 * 16;
}
inline std::size_t close_bytes(std::size_t size) { return (size + 15) / 16 * 16; }
inline std::size_t close_tables_bytes(const CompactView& problem) {
  const std::size_t pairs = std::size_t{problem.num_devices} * problem.num_devices;
  return close_bytes(pairs * sizeof(Time)) + close_bytes(pairs * 4) + close_bytes(problem.num_hops * sizeof(Hop)) +
         2 * close_bytes(problem.num_devices) + close_bytes(problem.num_devices + problem.num_queues + 1) +
         close_bytes(problem.num_slots);
}

using CloseIndex = std::uint16_t;
inline std::size_t hot_bytes(const CompactView& problem) {
  return num_hot_times(problem) * sizeof(Time) + problem.num_slots * 4 + num_ring_places(problem) * sizeof(CloseIndex);
}

template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
__global__ void __launch_bounds__(64)
    simulate_plans(CompactView problem, BatchMemory memory, Ranks ranks, bool has_own_ranks, std::uint32_t plans,
                   std::uint32_t plans_per_warp, Time* times, std::int64_t* peaks) {
  extern __shared__ __align__(16) char shared[];
  char* at = shared;
  const std::uint32_t pairs = problem.num_devices * problem.num_devices;
  at = keep_close(problem.latency, pairs, at);
  at = keep_close(problem.first_hop, pairs, at);
  at = keep_close(problem.hops, problem.num_hops, at);
  at = keep_close(problem.class_of, problem.num_devices, at);
  at = keep_close(problem.pool_of, problem.num_devices, at);
  at = keep_close(problem.first_slot, problem.num_devices + problem.num_queues + 1, at);
  at = keep_close(problem.server_of, problem.num_slots, at);
  __syncthreads();

  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::uint32_t plan = (blockIdx.x * warps + warp) * plans_per_warp + lane;
  const bool is_mine = lane < plans_per_warp && plan < plans;
  if (has_own_ranks) {
    ranks.of_node += static_cast<std::size_t>(plan) * problem.num_nodes;
    ranks.node_at += static_cast<std::size_t>(plan) * problem.num_ops;
    ranks.tie_end += static_cast<std::size_t>(plan) * problem.num_ops;
  }
  const std::uint32_t here = warp * plans_per_warp + lane, stride = warps * plans_per_warp;
  auto* hot_times = reinterpret_cast<std::uint64_t*>(at);
  auto* items = reinterpret_cast<std::uint32_t*>(hot_times + num_hot_times(problem) * stride);
  auto* rings = reinterpret_cast<CloseIndex*>(items + problem.num_slots * stride);
  const auto hot = hot_state(problem, hot_times + here, items + here, rings + here, stride);
  using Kind = RunKind<kTile, CloseIndex, Mask, kOrder, kLanes>;
  EventLoop<Kind> loop({problem, workspace_of<kTile>(problem, memory, plan), hot, ranks});
  if (is_mine) loop.begin();
  bool is_over = !is_mine, has_work = false;
  while (__any_sync(0xffffffffU, !is_over)) {
    if (!is_over && !has_work) {
      const Found found = loop.fetch();
      has_work = found == Found::kWork;
      is_over = found == Found::kEnd;
    }
    if (has_work) has_work = !loop.work();
    if (loop.failed()) {
      is_over = true;
      has_work = false;
    }
  }
  if (!is_mine) return;
  times[plan] = loop.failed() ? kNever : loop.now();
  const std::uint32_t places = problem.num_devices + problem.num_pools;
  for (std::uint32_t i = 0; i < problem.num_devices; ++i)
    peaks[static_cast<std::size_t>(plan) * places + i] = loop.hot().peak(i);
  for (std::uint32_t i = 0; i < problem.num_pools; ++i) {
    peaks[static_cast<std::size_t>(plan) * places + problem.num_devices + i] = loop.hot().pool_peak(i);
  }
}

}  // namespace berth::batch
