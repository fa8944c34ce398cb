// SPDX-License-Identifier: Apache-2.0
// The memory of one plan's run in the batch simulator: what it needs, and where each part of it is. On a GPU the plans
// of a tile lie interleaved, so that neighbours that do the same touch neighbouring words; here every plan is alone.
#pragma once

#include <cstdint>

#include "sim/batch/loop/compact_view.h"

namespace berth::batch {

// How many may wait at once. A run that needs more fails and is done again plan by plan.
struct Capacities {
  std::uint32_t ready;     // ops of a device; a power of two
  std::uint32_t queued;    // transfers of a link; a power of two
  std::uint32_t timeless;  // things that are done as soon as they are looked at
  std::uint32_t delayed;   // control signals and transfers on links without a queue
};

// Words of ready ops as bits by rank, in two levels below a word of its own per device (HotState::top).
BERTH_PORTABLE std::uint32_t rank_words(std::uint32_t ops) { return (ops + 63) / 64; }
BERTH_PORTABLE std::uint32_t rank_words_of_device(std::uint32_t ops) {
  return rank_words(ops) + rank_words(rank_words(ops));
}
inline constexpr std::uint32_t kMostRanked = 64 * 64 * 64;  // ops

// Where the 64-bit numbers of a HotState are: ends of slots, then per device bytes held, peak and the top of its ranks,
// then peaks of pools.
struct HotPlaces {
  std::uint32_t num_slots, num_devices;

  [[nodiscard]] BERTH_PORTABLE std::uint32_t held(std::uint32_t device) const { return num_slots + device; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t peak(std::uint32_t device) const { return held(num_devices + device); }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t top(std::uint32_t device) const { return held(2 * num_devices + device); }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t pool_peak(std::uint32_t pool) const {
    return held(3 * num_devices + pool);
  }
};

// What a run touches often, strided: on a GPU it is in shared memory. Index counts places in rings.
template <typename Index>
struct HotState {
  std::uint64_t* times;
  std::uint32_t* items;  // what is under way in a slot, or first in line for it
  Index* rings;          // head, tail and mark of each server's ring
  std::uint32_t stride;
  HotPlaces places;
  std::uint32_t num_servers;

  BERTH_PORTABLE Time& end(std::uint32_t slot) { return times[slot * stride]; }
  BERTH_PORTABLE std::int64_t& held(std::uint32_t device) { return signed_at(places.held(device)); }
  BERTH_PORTABLE std::int64_t& peak(std::uint32_t device) { return signed_at(places.peak(device)); }
  BERTH_PORTABLE std::uint64_t& top(std::uint32_t device) { return times[places.top(device) * stride]; }
  BERTH_PORTABLE std::int64_t& pool_peak(std::uint32_t pool) { return signed_at(places.pool_peak(pool)); }
  BERTH_PORTABLE std::uint32_t& item(std::uint32_t slot) { return items[slot * stride]; }
  BERTH_PORTABLE Index& head(std::uint32_t server) { return rings[server * stride]; }
  BERTH_PORTABLE Index& tail(std::uint32_t server) { return rings[(num_servers + server) * stride]; }
  // Where what has come at this instant begins.
  BERTH_PORTABLE Index& mark(std::uint32_t server) { return rings[(2 * num_servers + server) * stride]; }

 private:
  BERTH_PORTABLE std::int64_t& signed_at(std::uint32_t place) {
    return reinterpret_cast<std::int64_t&>(times[place * stride]);
  }
};
BERTH_PORTABLE std::uint32_t num_hot_times(const CompactView& problem) {
  return problem.num_slots + 3 * problem.num_devices + problem.num_pools;
}
BERTH_PORTABLE std::uint32_t num_ring_places(const CompactView& problem) {
  return 3 * (problem.num_devices + problem.num_queues);
}
// Of one plan: `times` and so on begin with its own.
template <typename Index>
BERTH_PORTABLE HotState<Index> hot_state(const CompactView& problem, std::uint64_t* times, std::uint32_t* items,
                                         Index* rings, std::uint32_t stride) {
  const std::uint32_t servers = problem.num_devices + problem.num_queues;
  return {times, items, rings, stride, {problem.num_slots, problem.num_devices}, servers};
}

// The rest, in tiles of kStride plans.
template <std::uint32_t kStride>
struct Workspace {
  std::uint32_t* nodes;     // the word of each node (compact.h)
  std::uint16_t* counters;  // uses of copies
  std::uint32_t* ready;     // rings of devices: ops
  std::uint32_t* queued;    // rings of queues: transfers
  std::uint32_t* timeless;  // first in, first out
  Time* delay_ends;         // a heap by time ...
  std::uint32_t* delayed;   // ... of these
  std::uint64_t* ranks;     // ready ops as bits, where priorities differ
  std::uint32_t* since;     // per node: the instant at which it became ready, where priorities are shared by some
  Capacities capacities;

  template <typename T>
  static BERTH_PORTABLE T& at(T* part, std::uint32_t place) {
    return part[static_cast<std::size_t>(place) * kStride];
  }
};

}  // namespace berth::batch
