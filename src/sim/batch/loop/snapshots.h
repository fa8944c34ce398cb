// SPDX-License-Identifier: Apache-2.0
// What is remembered of one run, the base, so that runs of plans that differ from it in a few devices may begin where
// they can first differ (docs/simulator.md, "Cheaper than a run"). Plain arrays, here or on a GPU.
#pragma once

#include <cstdint>

#include "sim/batch/loop/compact_view.h"
#include "sim/batch/loop/workspace.h"

namespace berth::batch {

// Between two instants, or before the first: all that ended has taken effect, and servers have begun what they can.
struct Moment {
  Time now;
  std::uint64_t grown;    // set of devices
  std::uint32_t instant;  // the last one that is over
  std::uint32_t num_delayed;
  std::uint32_t first_waiting, first_delayed;  // in the lists below
  std::uint32_t ended;                         // ops that have ended by then; 0: nothing has begun
};

// States of the base. The first is its beginning, so that there is one for every plan.
struct Snapshots {
  std::uint32_t count = 0;
  std::uint32_t num_rank_words = 0, num_since = 0;  // of each; 0 where the order needs none
  const Moment* moments = nullptr;
  const std::uint32_t* nodes = nullptr;     // as in a Workspace, [moment * size + place]
  const std::uint16_t* counters = nullptr;  // ...
  const std::uint64_t* ranks = nullptr;     // ...
  const std::uint32_t* since = nullptr;     // ...
  const std::uint64_t* times = nullptr;     // as in a HotState, without what residents hold
  const std::uint32_t* items = nullptr;
  const std::uint32_t* num_waiting = nullptr;  // [moment * servers + server]
  const std::uint32_t* waiting = nullptr;      // keys, server by server; of ranked devices none
  const Time* delay_ends = nullptr;
  const std::uint32_t* delayed = nullptr;
};

// One of them: where its own part of each table begins.
struct SavedState {
  Moment moment;
  HotPlaces places;
  const std::uint64_t* times;
  const std::uint32_t *items, *num_waiting, *waiting;
  const Time* delay_ends;
  const std::uint32_t* delayed;

  [[nodiscard]] BERTH_PORTABLE std::int64_t bytes(std::uint32_t place) const {
    return static_cast<std::int64_t>(times[place]);
  }
};
BERTH_PORTABLE SavedState saved_state(const CompactView& problem, const Snapshots& all, std::uint32_t which) {
  const Moment moment = all.moments[which];
  const auto at = [which](const auto* table, std::uint32_t size) { return table + std::size_t{which} * size; };
  return {moment,
          {problem.num_slots, problem.num_devices},
          at(all.times, num_hot_times(problem)),
          at(all.items, problem.num_slots),
          at(all.num_waiting, problem.num_devices + problem.num_queues),
          all.waiting + moment.first_waiting,
          all.delay_ends + moment.first_delayed,
          all.delayed + moment.first_delayed};
}

// When nodes were ready and ended in the base.
struct BaseTimes {
  const std::uint32_t* ready = nullptr;  // instants
  const std::uint32_t* end = nullptr;
  const std::uint8_t* device = nullptr;
  const std::uint32_t* first_before = nullptr;  // its control predecessors, and one more
  const std::uint32_t* before = nullptr;
};

}  // namespace berth::batch
