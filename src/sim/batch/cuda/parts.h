// SPDX-License-Identifier: Apache-2.0
// Where everything of a batch is in the working memory of the card.
#pragma once

#include "sim/batch/cuda/batch_memory.h"
#include "sim/batch/cuda/card_memory.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/sort.h"

namespace berth::batch {

struct Parts {
  std::uint8_t* devices = nullptr;
  std::uint32_t* first_move = nullptr;
  CudaMove* moves = nullptr;
  std::uint32_t *moment = nullptr, *plan_at = nullptr;  // [plan], then [seat]
  Time* step_times = nullptr;
  std::int64_t* peaks = nullptr;
  // Of plans with priorities of their own.
  std::uint32_t *of_node = nullptr, *node_at = nullptr, *tie_end = nullptr, *has_ties = nullptr;
  double* priorities = nullptr;
  void *keys = nullptr, *sorted_keys = nullptr, *sort_memory = nullptr;
  std::size_t sort_bytes = 0;
  std::uint32_t *ops = nullptr, *sorted_ops = nullptr;
  BatchMemory memory{};
};

// How much of it a batch needs.
struct PartSizes {
  const CompactView& view;
  Capacities capacities;
  Order order;  // of plans with priorities of their own the one that needs most, kRankTies
  bool have_own_priorities, have_short_keys;

  static constexpr std::size_t kTile = 32;  // plans are rounded up to the largest tile
  [[nodiscard]] static std::size_t tiled(std::size_t plans) { return (plans + kTile - 1) / kTile * kTile; }

  [[nodiscard]] std::size_t bytes_for(std::size_t plans, std::size_t moves) const {
    Carver counting(nullptr);
    carve(counting, plans, moves);
    return counting.most();
  }

  Parts carve(Carver& carver, std::size_t plans, std::size_t moves) const {
    Parts parts;
    parts.devices = carver.take<std::uint8_t>(tiled(plans) * view.num_ops);
    parts.first_move = carver.take<std::uint32_t>(plans + 1);
    parts.moves = carver.take<CudaMove>(moves);
    parts.moment = carver.take<std::uint32_t>(tiled(plans));
    parts.plan_at = carver.take<std::uint32_t>(tiled(plans));
    parts.step_times = carver.take<Time>(tiled(plans));
    parts.peaks = carver.take<std::int64_t>(tiled(plans) * (view.num_devices + view.num_pools));
    if (have_own_priorities) carve_ranks(carver, tiled(plans), parts);
    carve_memory(carver, tiled(plans), parts.memory);
    return parts;
  }

 private:
  // What is sorted gives way to what runs.
  void carve_ranks(Carver& carver, std::size_t plans, Parts& parts) const {
    const std::size_t total = plans * view.num_ops, key_bytes = have_short_keys ? 2 : 8;
    parts.of_node = carver.take<std::uint32_t>(plans * view.num_nodes);
    parts.node_at = carver.take<std::uint32_t>(total);
    parts.tie_end = carver.take<std::uint32_t>(total);
    parts.has_ties = carver.take<std::uint32_t>(1);
    const std::size_t used = carver.used();
    if (!have_short_keys) parts.priorities = carver.take<double>(total);
    parts.keys = carver.take<std::byte>(total * key_bytes);
    parts.sorted_keys = carver.take<std::byte>(total * key_bytes);
    parts.ops = carver.take<std::uint32_t>(total);
    parts.sorted_ops = carver.take<std::uint32_t>(total);
    parts.sort_bytes = have_short_keys ? sort_space<std::uint16_t>(plans, view.num_ops)
                                       : sort_space<std::uint64_t>(plans, view.num_ops);
    parts.sort_memory = carver.take<std::byte>(parts.sort_bytes);
    carver.rewind(used);
  }
  void carve_memory(Carver& carver, std::size_t plans, BatchMemory& memory) const {
    const std::size_t rank_words = order == Order::kReadyTime ? 0 : rank_words_of_plan(view);
    memory.nodes = carver.take<std::uint32_t>(plans * view.num_nodes);
    memory.counters = carver.take<std::uint16_t>(plans * view.num_counters);
    memory.ready = carver.take<std::uint32_t>(plans * view.num_devices * capacities.ready);
    memory.queued = carver.take<std::uint32_t>(plans * view.num_queues * capacities.queued);
    memory.timeless = carver.take<std::uint32_t>(plans * capacities.timeless);
    memory.delay_ends = carver.take<Time>(plans * capacities.delayed);
    memory.delayed = carver.take<std::uint32_t>(plans * capacities.delayed);
    memory.ranks = carver.take<std::uint64_t>(plans * rank_words);
    memory.since = carver.take<std::uint32_t>(order == Order::kRankTies ? plans * view.num_nodes : 0);
    memory.capacities = capacities;
  }
};

}  // namespace berth::batch
