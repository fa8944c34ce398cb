// SPDX-License-Identifier: Apache-2.0
// A thread per plan runs the event loop.
#pragma once

#include "sim/batch/cuda/batch_memory.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/launch.h"
#include "sim/batch/cuda/outcome.h"

namespace berth::batch {

// What a kernel is told of a batch.
struct Runs {
  BatchMemory memory{};
  Ranks ranks{};
  bool have_own_ranks = false;  // each plan has its own
  Starts starts{};
  Snapshots snapshots{};
  std::uint32_t plans = 0, plans_per_warp = 0;
  Time* times = nullptr;  // results
  std::int64_t* peaks = nullptr;
};

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

template <typename Loop>
__device__ __forceinline__ void tell_result(const CompactView& problem, Loop& loop, const Runs& runs,
                                            std::uint32_t plan) {
  runs.times[plan] = loop.failed() ? kNever : loop.now();
  std::int64_t* peaks = runs.peaks + static_cast<std::size_t>(plan) * (problem.num_devices + problem.num_pools);
  for (std::uint32_t i = 0; i < problem.num_devices; ++i) peaks[i] = loop.hot().peak(i);
  for (std::uint32_t i = 0; i < problem.num_pools; ++i) peaks[problem.num_devices + i] = loop.hot().pool_peak(i);
}

__device__ __forceinline__ Ranks ranks_of(const CompactView& problem, const Runs& runs, std::uint32_t plan) {
  if (!runs.have_own_ranks) return runs.ranks;
  const std::size_t row = static_cast<std::size_t>(plan) * problem.num_ops;
  return {runs.ranks.of_node + static_cast<std::size_t>(plan) * problem.num_nodes, runs.ranks.node_at + row,
          runs.ranks.tie_end + row};
}

template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
__global__ void __launch_bounds__(64) simulate_plans(CompactView problem, Runs runs) {
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
  const std::uint32_t seat = (blockIdx.x * warps + warp) * runs.plans_per_warp + lane;
  const bool is_mine = lane < runs.plans_per_warp && seat < runs.plans;
  const std::uint32_t plan = is_mine ? runs.starts.plan(seat) : 0;
  const std::uint32_t here = warp * runs.plans_per_warp + lane, stride = warps * runs.plans_per_warp;
  auto* hot_times = reinterpret_cast<std::uint64_t*>(at);
  auto* items = reinterpret_cast<std::uint32_t*>(hot_times + num_hot_times(problem) * stride);
  auto* rings = reinterpret_cast<CloseIndex*>(items + problem.num_slots * stride);
  const auto hot = hot_state(problem, hot_times + here, items + here, rings + here, stride);
  using Kind = RunKind<kTile, CloseIndex, Mask, kOrder, kLanes>;
  EventLoop<Kind> loop({problem, workspace_of<kTile>(problem, runs.memory, seat), hot, ranks_of(problem, runs, plan)});
  if (is_mine) loop.begin();
  if (is_mine && runs.starts.moment != nullptr) loop.resume(runs.snapshots, runs.starts.moment[seat]);
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
  if (is_mine) tell_result(problem, loop, runs, plan);
}

// ---- Which kernel it is.

template <std::uint32_t kTile, typename Mask, Order kOrder, bool kLanes>
void start_kernel(const CompactView& problem, const Runs& runs, std::uint32_t warps_per_block, Outcome& outcome) {
  const auto kernel = simulate_plans<kTile, Mask, kOrder, kLanes>;
  const std::uint32_t per_block = warps_per_block * runs.plans_per_warp;
  const std::size_t close = close_tables_bytes(problem) + hot_bytes(problem) * per_block;
  outcome.check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(close)),
                "asking for shared memory");
  if (!outcome.ok()) return;
  launch(kernel, (runs.plans + per_block - 1) / per_block, warps_per_block * 32, close, problem, runs);
  outcome.check(cudaGetLastError(), "starting the simulation");
}

template <std::uint32_t kTile, typename Mask, bool kLanes>
void start_in_order(const CompactView& problem, const Runs& runs, Order order, std::uint32_t warps_per_block,
                    Outcome& outcome) {
  switch (order) {
    case Order::kReadyTime:
      return start_kernel<kTile, Mask, Order::kReadyTime, kLanes>(problem, runs, warps_per_block, outcome);
    case Order::kRank:
      return start_kernel<kTile, Mask, Order::kRank, kLanes>(problem, runs, warps_per_block, outcome);
    case Order::kRankTies:
      return start_kernel<kTile, Mask, Order::kRankTies, kLanes>(problem, runs, warps_per_block, outcome);
  }
}

template <std::uint32_t kTile>
void start_runs(const CompactView& problem, const Runs& runs, Order order, std::uint32_t warps_per_block,
                Outcome& outcome) {
  const bool has_lanes = problem.num_slots > problem.num_devices + problem.num_queues;
  if (problem.num_slots <= 32 && !has_lanes) {
    start_in_order<kTile, std::uint32_t, false>(problem, runs, order, warps_per_block, outcome);
  } else {
    start_in_order<kTile, std::uint64_t, true>(problem, runs, order, warps_per_block, outcome);
  }
}

}  // namespace berth::batch
