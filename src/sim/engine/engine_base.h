// SPDX-License-Identifier: Apache-2.0
// What the engine remembers of one run, its base, so that runs of similar plans can skip what they share with it. Part
// of the engine; docs/simulator.md says why skipping is exact.
#pragma once

#include "sim/engine/engine.h"

namespace berth {

// The state between two instants, or before the first.
struct Engine::Checkpoint {
  struct Uses {                 // of a storage that is not free yet
    std::uint32_t place, uses;  // into uses_
  };

  std::uint32_t instant, started, ready_order, unused_transfer;
  Picoseconds now;
  HugeVector<std::uint32_t> words;
  std::vector<Uses> uses;
  HugeVector<Transfer> transfers;
  std::uint32_t transfers_under_way;
  std::vector<UnderWay> under_way;
  std::vector<Queue> queues;
  std::vector<QueueUse> queue_use;
  std::vector<DeviceState> devices;
  std::vector<ReadyQueue> ready_of;
  std::vector<std::uint32_t> ready;  // listed nodes, device by device, when priorities are equal
  std::vector<PoolState> pools;
  EventQueue events;
};

// Instants are numbered from 0; the last one, at which the step ends, has a time and nothing else. The stretch behind a
// checkpoint has its number: the instants after it, up to and with that of the next checkpoint.
struct Engine::BaseRun {
  Plan plan;
  Score score;
  bool equal_priorities = true;
  std::vector<std::uint32_t> ready_instant, end_instant;  // per node
  std::vector<std::uint32_t> start_rank;                  // per node that takes time: how many started before it
  std::vector<Picoseconds> time;                          // per instant
  std::vector<std::uint8_t> stretch;                      // per instant
  std::vector<std::vector<Bytes>> held;                   // [device, then pool][instant]
  std::vector<std::vector<Bytes>> block_peak;             // the same, the most of kBlock instants
  std::vector<Checkpoint> checkpoints;                    // the first one before all instants
  std::size_t num_checkpoints = 0, nodes_with_time = 0;
  Checkpoint crowd;                        // in the middle of instant 0: before anything is picked
  std::vector<std::uint32_t> crowd_ready;  // then: the nodes that are to be picked from
  std::vector<Request> crowd_requests;
  std::uint32_t checkpoint_due = 0;   // once more nodes than that have started
  std::vector<std::uint32_t> places;  // of uses_, but for those that were free at the last checkpoint

  static constexpr std::uint32_t kBlock = 64;
  static constexpr std::size_t kMostCheckpoints = Stretches::kMost, kMostCheckpointBytes = std::size_t{256} << 20;

  [[nodiscard]] Picoseconds end_of(std::uint32_t node) const { return time[end_instant[node]]; }
  void appear(std::size_t place) { places.push_back(static_cast<std::uint32_t>(place)); }
  void set_checkpoint_due();
  // Whether from there on that much can be skipped that it takes longer to run than to copy a state.
  [[nodiscard]] bool is_worth_a_skip(std::size_t checkpoint, std::size_t next_dirty) const {
    return next_dirty == Stretches::kMost ||
           checkpoints[next_dirty].started - checkpoints[checkpoint].started >= nodes_with_time / 24;
  }
  [[nodiscard]] Bytes most_held(std::size_t column, std::uint32_t first, std::uint32_t last) const;
};

}  // namespace berth
