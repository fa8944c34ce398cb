// SPDX-License-Identifier: Apache-2.0
// A thread per plan runs the event loop.
#pragma once

#include "sim/batch/cuda/batch_memory.h"

namespace berth::batch {

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
  return HotState<CloseIndex>::num_times(problem) * sizeof(Time) + problem.num_slots * 4 +
         HotState<CloseIndex>::num_rings(problem) * sizeof(CloseIndex);
}

template <typename Loop>
__device__ __forceinline__ void tell_result(const CompactView& problem, Loop& loop, std::uint32_t plan, Time* times,
                                            std::int64_t* peaks) {
  times[plan] = loop.failed() ? kNever : loop.now();
  peaks += static_cast<std::size_t>(plan) * (problem.num_devices + problem.num_pools);
  for (std::uint32_t i = 0; i < problem.num_devices; ++i) peaks[i] = loop.hot().peak(i);
  for (std::uint32_t i = 0; i < problem.num_pools; ++i) peaks[problem.num_devices + i] = loop.hot().pool_peak(i);
}

template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
__global__ void __launch_bounds__(64)
    simulate_plans(CompactView problem, BatchMemory memory, Ranks ranks, bool has_own_ranks, Starts starts,
                   Snapshots snapshots, std::uint32_t plans, std::uint32_t plans_per_warp, Time* times,
                   std::int64_t* peaks) {
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
  const std::uint32_t seat = (blockIdx.x * warps + warp) * plans_per_warp + lane;
  const bool is_mine = lane < plans_per_warp && seat < plans;
  const std::uint32_t plan = is_mine ? starts.plan(seat) : 0;
  if (has_own_ranks) {
    ranks.of_node += static_cast<std::size_t>(plan) * problem.num_nodes;
    ranks.node_at += static_cast<std::size_t>(plan) * problem.num_ops;
    ranks.tie_end += static_cast<std::size_t>(plan) * problem.num_ops;
  }
  const std::uint32_t here = warp * plans_per_warp + lane, stride = warps * plans_per_warp;
  auto* hot_times = reinterpret_cast<std::uint64_t*>(at);
  auto* items = reinterpret_cast<std::uint32_t*>(hot_times + HotState<CloseIndex>::num_times(problem) * stride);
  auto* rings = reinterpret_cast<CloseIndex*>(items + problem.num_slots * stride);
  const HotState<CloseIndex> hot{hot_times + here,
                                 items + here,
                                 rings + here,
                                 stride,
                                 problem.num_slots,
                                 problem.num_devices,
                                 problem.num_devices + problem.num_queues};
  EventLoop<kTile, CloseIndex, Mask, kOrder, kLanes> loop(problem, workspace_of<kTile>(problem, memory, seat), hot,
                                                          ranks);
  if (is_mine) loop.begin();
  if (is_mine && starts.moment != nullptr) loop.resume(snapshots, starts.moment[seat]);
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
  if (is_mine) tell_result(problem, loop, plan, times, peaks);
}

}  // namespace berth::batch
