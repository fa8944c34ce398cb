// SPDX-License-Identifier: Apache-2.0
// What waits in a run of the event loop: ready ops of a device by ready time or by rank, transfers of a link in a ring,
// what is done as soon as it is looked at, and what comes later without a server. Sizes are fixed; a run that outgrows
// them fails.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/batch/compact_view.h"
#include "sim/batch/snapshots.h"
#include "sim/batch/workspace.h"

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

template <std::uint32_t kStride, typename Index, typename Mask, Order kOrder, bool kLanes>
class Waiting {
 public:
  using Memory = Workspace<kStride>;
  BERTH_PORTABLE Waiting(const CompactView& problem, const Memory& memory, const HotState<Index>& hot,
                         const Ranks& ranks)
      : problem_(problem), memory_(memory), hot_(hot), ranks_(ranks) {}

  BERTH_PORTABLE void begin() {
    for (std::uint32_t server = 0; server < problem_.num_devices + problem_.num_queues; ++server) {
      hot_.head(server) = 0;
      hot_.tail(server) = 0;
    }
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) hot_.top(device) = 0;
  }

  // As it was at a moment of another run; bits of ranks and ready times are restored by whoever restores nodes.
  BERTH_PORTABLE void resume(const Snapshots& from, std::uint32_t which) {
    const Moment moment = from.moments[which];
    instant_ = moment.instant;
    const std::uint64_t* times = from.times + std::size_t{which} * HotState<Index>::num_times(problem_);
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) {
      hot_.top(device) = times[problem_.num_slots + 2 * problem_.num_devices + device];
    }
    const std::uint32_t servers = problem_.num_devices + problem_.num_queues;
    const std::uint32_t* entry = from.waiting + moment.first_waiting;
    for (std::uint32_t server = 0; server < servers; ++server) {
      const std::uint32_t count = from.num_waiting[which * servers + server];
      hot_.tail(server) = static_cast<Index>(count);
      if (is_ranked(server)) continue;
      const Ring ring = ring_of(server);
      for (std::uint32_t i = 0; i < count; ++i) Memory::at(ring.items, ring.first + i) = *entry++;
    }
    num_delayed_ = moment.num_delayed;
    for (std::uint32_t i = 0; i < num_delayed_; ++i) {
      Memory::at(memory_.delay_ends, i) = from.delay_ends[moment.first_delayed + i];
      Memory::at(memory_.delayed, i) = from.delayed[moment.first_delayed + i];
    }
    if (num_delayed_ > 0) next_delayed_ = Memory::at(memory_.delay_ends, 0);
  }

  [[nodiscard]] BERTH_PORTABLE bool failed() const { return failed_; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t instant() const { return instant_; }
  BERTH_PORTABLE void next_instant() { ++instant_; }

  // ---- Servers: devices, then queues.

  BERTH_PORTABLE void touch(std::uint32_t server) { touched_ |= Mask{1} << server; }
  // Those that may have something to begin. What comes from now on is of another instant.
  BERTH_PORTABLE Mask take_touched() {
    const Mask touched = touched_;
    touched_ = 0;
    marked_ = 0;
    return touched;
  }

  BERTH_PORTABLE void add_op(std::uint32_t device, std::uint32_t node) {
    if constexpr (kOrder == Order::kReadyTime) {
      queue_up(device, node);
    } else {
      rank_up(device, node);
    }
  }
  BERTH_PORTABLE void add_transfer(std::uint32_t queue, std::uint32_t number) {
    queue_up(problem_.num_devices + queue, number);
  }

  // True if what begins next on a server stands in its slot.
  BERTH_PORTABLE bool leave_slot(std::uint32_t server) {
    const Mask bit = Mask{1} << server;
    const bool stands_there = (first_in_line_ & bit) != 0;
    first_in_line_ &= ~bit;
    return stands_there;
  }
  BERTH_PORTABLE bool is_any_left(std::uint32_t server) {
    return is_ranked(server) ? hot_.tail(server) != 0 : hot_.head(server) != hot_.tail(server);
  }
  // An op, or its rank; a transfer.
  BERTH_PORTABLE std::uint32_t take(std::uint32_t server) {
    if constexpr (kOrder != Order::kReadyTime) {
      if (server < problem_.num_devices) return take_ranked(server);
    }
    return leave_queue(server);
  }

  // ---- Things that are done as soon as they are looked at, first in, first out.

  [[nodiscard]] BERTH_PORTABLE bool has_timeless() const { return first_timeless_ != end_timeless_; }
  BERTH_PORTABLE void push_timeless(std::uint32_t code) {
    if (end_timeless_ == memory_.capacities.timeless) {
      failed_ = true;
    } else {
      Memory::at(memory_.timeless, end_timeless_++) = code;
    }
  }
  BERTH_PORTABLE std::uint32_t pop_timeless() {
    const std::uint32_t code = Memory::at(memory_.timeless, first_timeless_++);
    if (first_timeless_ == end_timeless_) first_timeless_ = end_timeless_ = 0;
    return code;
  }

  // ---- What comes later: a binary heap by time.

  [[nodiscard]] BERTH_PORTABLE Time next_delayed() const { return next_delayed_; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t num_delayed() const { return num_delayed_; }
  BERTH_PORTABLE void push_delayed(Time time, std::uint32_t code) {
    if (num_delayed_ == memory_.capacities.delayed) {
      failed_ = true;
      return;
    }
    std::uint32_t hole = num_delayed_++;
    while (hole > 0 && Memory::at(memory_.delay_ends, (hole - 1) / 2) > time) {
      move_delayed((hole - 1) / 2, hole);
      hole = (hole - 1) / 2;
    }
    Memory::at(memory_.delay_ends, hole) = time;
    Memory::at(memory_.delayed, hole) = code;
    if (time < next_delayed_) next_delayed_ = time;
  }
  BERTH_PORTABLE std::uint32_t pop_delayed() {
    const std::uint32_t code = Memory::at(memory_.delayed, 0);
    const std::uint32_t last = --num_delayed_;
    const Time time = Memory::at(memory_.delay_ends, last);
    std::uint32_t hole = 0;
    for (std::uint32_t child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && Memory::at(memory_.delay_ends, child + 1) < Memory::at(memory_.delay_ends, child)) {
        ++child;
      }
      if (time <= Memory::at(memory_.delay_ends, child)) break;
      move_delayed(child, hole);
      hole = child;
    }
    move_delayed(last, hole);
    next_delayed_ = num_delayed_ == 0 ? kNever : Memory::at(memory_.delay_ends, 0);
    return code;
  }

 private:
  struct Ring {
    std::uint32_t* items;
    std::uint32_t first, capacity;  // of its server
  };
  BERTH_PORTABLE Ring ring_of(std::uint32_t server) const {
    const Capacities& room = memory_.capacities;
    if (server < problem_.num_devices) return {memory_.ready, server * room.ready, room.ready};
    return {memory_.queued, (server - problem_.num_devices) * room.queued, room.queued};
  }
  BERTH_PORTABLE bool is_ranked(std::uint32_t server) const {
    return kOrder != Order::kReadyTime && server < problem_.num_devices;
  }

  // The first in line of an idle server with one lane waits in its slot, so that most never see the ring.
  BERTH_PORTABLE bool waits_in_slot(std::uint32_t server, std::uint32_t& key, bool is_empty) {
    if (kLanes && server < problem_.num_devices) return false;
    const std::uint32_t slot = kLanes ? problem_.first_slot[server] : server;
    const Mask bit = Mask{1} << server;
    if ((first_in_line_ & bit) != 0) {
      const std::uint32_t first = hot_.item(slot);
      if (key < first) {
        hot_.item(slot) = key;
        key = first;
      }
      return false;
    }
    if (!is_empty || hot_.end(slot) != kNever) return false;
    hot_.item(slot) = key;
    first_in_line_ |= bit;
    return true;
  }

  // What comes at one instant stands in the order of keys, behind what came before.
  BERTH_PORTABLE void queue_up(std::uint32_t server, std::uint32_t key) {
    touch(server);
    const Mask bit = Mask{1} << server;
    const Index head = hot_.head(server), tail = hot_.tail(server);
    if (waits_in_slot(server, key, head == tail)) return;
    Index mark = tail;
    if ((marked_ & bit) != 0) {
      mark = hot_.mark(server);
    } else {
      hot_.mark(server) = tail;
      marked_ |= bit;
    }
    const Ring ring = ring_of(server);
    if (static_cast<Index>(tail - head) >= ring.capacity) {
      failed_ = true;
      return;
    }
    Index place = tail;
    while (place != mark) {
      const auto before = static_cast<Index>(place - 1);
      const std::uint32_t other = Memory::at(ring.items, ring.first + (before & (ring.capacity - 1)));
      if (other < key) break;
      Memory::at(ring.items, ring.first + (place & (ring.capacity - 1))) = other;
      place = before;
      if (++shifted_ > kPatience) failed_ = true;  // a crowd in the worst order
    }
    Memory::at(ring.items, ring.first + (place & (ring.capacity - 1))) = key;
    hot_.tail(server) = static_cast<Index>(tail + 1);
  }
  BERTH_PORTABLE std::uint32_t leave_queue(std::uint32_t server) {
    const Ring ring = ring_of(server);
    const Index head = hot_.head(server);
    const std::uint32_t key = Memory::at(ring.items, ring.first + (head & (ring.capacity - 1)));
    hot_.head(server) = static_cast<Index>(head + 1);
    if (hot_.head(server) == hot_.tail(server)) {  // from the beginning again, where memory is warm
      hot_.head(server) = 0;
      hot_.tail(server) = 0;
    }
    return key;
  }

  // Ready ops by rank: a bit each, with bits for words that are not empty above. The tail of the ring counts them.
  BERTH_PORTABLE std::uint32_t first_word_of(std::uint32_t device) const {
    return device * rank_words_of_device(problem_.num_ops);
  }
  BERTH_PORTABLE void rank_up(std::uint32_t device, std::uint32_t node) {
    touch(device);
    if constexpr (kOrder == Order::kRankTies) Memory::at(memory_.since, node) = instant_;
    std::uint32_t rank = load(&ranks_.of_node[node]);
    if (waits_in_slot(device, rank, hot_.tail(device) == 0)) return;
    ++hot_.tail(device);
    const std::uint32_t low = first_word_of(device);
    std::uint64_t& word = Memory::at(memory_.ranks, low + rank / 64);
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << (rank % 64);
    if (!was_empty) return;
    std::uint64_t& above = Memory::at(memory_.ranks, low + rank_words(problem_.num_ops) + rank / 4096);
    if (above == 0) hot_.top(device) |= std::uint64_t{1} << (rank / 4096);
    above |= std::uint64_t{1} << (rank / 64 % 64);
  }
  BERTH_PORTABLE std::uint32_t first_rank(std::uint32_t device) {
    const std::uint32_t low = first_word_of(device);
    const std::uint32_t high = lowest_bit(hot_.top(device));
    const std::uint32_t middle =
        high * 64 + lowest_bit(Memory::at(memory_.ranks, low + rank_words(problem_.num_ops) + high));
    return middle * 64 + lowest_bit(Memory::at(memory_.ranks, low + middle));
  }
  BERTH_PORTABLE void leave_ranks(std::uint32_t device, std::uint32_t rank) {
    --hot_.tail(device);
    const std::uint32_t low = first_word_of(device);
    std::uint64_t& word = Memory::at(memory_.ranks, low + rank / 64);
    word &= ~(std::uint64_t{1} << (rank % 64));
    if (word != 0) return;
    std::uint64_t& above = Memory::at(memory_.ranks, low + rank_words(problem_.num_ops) + rank / 4096);
    above &= ~(std::uint64_t{1} << (rank / 64 % 64));
    if (above == 0) hot_.top(device) &= ~(std::uint64_t{1} << (rank / 4096));
  }
  // Of those with the priority of the first, the one that was ready first; of these the one with the lowest id.
  BERTH_PORTABLE std::uint32_t earliest_of_ties(std::uint32_t device, std::uint32_t first) {
    const std::uint32_t end = load(&ranks_.tie_end[first]);
    if (end == first + 1) return first;
    const std::uint32_t low = first_word_of(device);
    std::uint32_t best = first, earliest = Memory::at(memory_.since, load(&ranks_.node_at[first]));
    std::uint64_t word = Memory::at(memory_.ranks, low + first / 64) & (~std::uint64_t{1} << (first % 64));
    for (std::uint32_t at = first / 64;;) {
      for (; word != 0; word &= word - 1) {
        const std::uint32_t rank = at * 64 + lowest_bit(word);
        if (rank >= end) return best;
        const std::uint32_t since = Memory::at(memory_.since, load(&ranks_.node_at[rank]));
        if (since < earliest) {
          earliest = since;
          best = rank;
        }
        if (++shifted_ > kPatience) failed_ = true;
      }
      if (++at * 64 >= end) return best;
      word = Memory::at(memory_.ranks, low + at);
    }
  }
  BERTH_PORTABLE std::uint32_t take_ranked(std::uint32_t device) {
    std::uint32_t rank = first_rank(device);
    if constexpr (kOrder == Order::kRankTies) rank = earliest_of_ties(device, rank);
    leave_ranks(device, rank);
    return rank;
  }

  BERTH_PORTABLE void move_delayed(std::uint32_t from, std::uint32_t to) {
    Memory::at(memory_.delay_ends, to) = Memory::at(memory_.delay_ends, from);
    Memory::at(memory_.delayed, to) = Memory::at(memory_.delayed, from);
  }

  static constexpr std::uint32_t kPatience = 100'000'000;  // steps spent on sorting before a run is given up

  const CompactView& problem_;
  Memory memory_;
  HotState<Index> hot_;
  Ranks ranks_;

  Time next_delayed_ = kNever;
  Mask touched_ = 0;        // servers that may have something to begin
  Mask first_in_line_ = 0;  // servers whose slot holds what begins next
  Mask marked_ = 0;         // servers whose mark is of this instant
  std::uint32_t first_timeless_ = 0, end_timeless_ = 0, num_delayed_ = 0;
  std::uint32_t instant_ = 0, shifted_ = 0;
  bool failed_ = false;
};

}  // namespace berth::batch
