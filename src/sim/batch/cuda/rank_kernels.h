// SPDX-License-Identifier: Apache-2.0
// Priorities of every plan by itself become the tables of Ranks: keys that ascend with the place of an op, sorted row
// by row (sort.h).
#pragma once

#include "sim/batch/cuda/launch.h"
#include "sim/batch/loop/event_loop.h"
#include "sim/batch/urgency.h"

namespace berth::batch {

static __global__ void make_keys(const double* priorities, std::uint64_t* keys, std::uint64_t total) {
  for_each_index(total, [&](std::uint64_t i) { keys[i] = ~urgency_of(priorities[i]); });
}

static __global__ void number_ops(std::uint32_t* ops, std::uint32_t num_ops, std::uint64_t total) {
  for_each_index(total, [&](std::uint64_t i) { ops[i] = static_cast<std::uint32_t>(i % num_ops); });
}

// The first place behind `rank` with another key; mostly the next.
template <typename Key>
__device__ __forceinline__ std::uint32_t end_of_ties(const Key* keys, std::uint32_t rank, std::uint32_t num_ops) {
  std::uint32_t low = rank + 1, high = num_ops;
  if (low == num_ops || keys[low] != keys[rank]) return low;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (keys[middle] == keys[rank]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// From the ops of every plan in order. Notes whether any two of a plan have the same priority.
template <typename Key>
__global__ void fill_ranks(CompactView problem, const Key* keys, const std::uint32_t* ops, std::uint32_t* of_node,
                           std::uint32_t* node_at, std::uint32_t* tie_end, std::uint32_t* has_ties,
                           std::uint64_t total) {
  for_each_index(total, [&](std::uint64_t i) {
    const std::uint64_t plan = i / problem.num_ops, row = plan * problem.num_ops;
    const auto rank = static_cast<std::uint32_t>(i - row);
    const std::uint32_t node = problem.node_of[ops[i]];
    node_at[i] = node;
    of_node[plan * problem.num_nodes + node] = rank;
    tie_end[i] = end_of_ties(keys + row, rank, problem.num_ops);
    if (tie_end[i] != rank + 1) *has_ties = 1;
  });
}

}  // namespace berth::batch
