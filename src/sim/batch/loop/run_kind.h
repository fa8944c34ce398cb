// SPDX-License-Identifier: Apache-2.0
// What is decided about a run of the event loop before it is compiled, and where such a run keeps what it knows.
#pragma once

#include <cstdint>

#include "sim/batch/loop/compact_view.h"
#include "sim/batch/loop/workspace.h"

namespace berth::batch {

// What decides which ready op goes first.
enum class Order {
  kReadyTime,  // all priorities are equal
  kRank,       // all differ
  kRankTies,   // some are shared: among those by ready time
};
struct Ranks {  // by priority, then op id
  const std::uint32_t* of_node = nullptr;
  const std::uint32_t* node_at = nullptr;
  const std::uint32_t* tie_end = nullptr;  // [rank]: behind the last rank of equal priority
};

// Told what happens in a run, by nobody who only wants its result.
struct NoWatch {
  BERTH_PORTABLE void note_ready(std::uint32_t, std::uint32_t) {}  // node, instant
  BERTH_PORTABLE void note_end(std::uint32_t, std::uint32_t) {}
};

// Plans that lie interleaved, the types of places in rings and of sets of servers, the order of ready ops, and whether
// a device may have several lanes.
template <std::uint32_t kPlans, typename Place, typename Servers, Order kFirst, bool kSeveralLanes,
          typename Watcher = NoWatch>
struct RunKind {
  using Watch = Watcher;
  using Index = Place;
  using Mask = Servers;
  using Memory = Workspace<kPlans>;
  static constexpr Order kOrder = kFirst;
  static constexpr bool kLanes = kSeveralLanes, kRanked = kFirst != Order::kReadyTime;
};

// The parts of the loop have copies of it: a GPU holds it in registers, which pointers to it would forbid.
template <typename Kind>
struct RunState {
  const CompactView& problem;
  typename Kind::Memory memory;
  HotState<typename Kind::Index> hot;
  Ranks ranks;

  BERTH_PORTABLE std::uint32_t& node_word(std::uint32_t node) { return Kind::Memory::at(memory.nodes, node); }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t num_servers() const { return problem.num_devices + problem.num_queues; }
};

BERTH_PORTABLE std::uint32_t device_of(std::uint32_t word) { return word & kDeviceMask; }

// What may end a run early: something outgrew its room, or too long was spent on sorting.
struct Trouble {
  static constexpr std::uint32_t kPatience = 100'000'000;
  std::uint32_t sorted = 0;
  bool failed = false;

  BERTH_PORTABLE void sort_one_more() {
    if (++sorted > kPatience) failed = true;
  }
};

}  // namespace berth::batch
