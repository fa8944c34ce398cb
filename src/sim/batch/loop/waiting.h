// SPDX-License-Identifier: Apache-2.0
// What waits in a run of the event loop: ready ops of a device by ready time or by rank, transfers of a link in a ring,
// what is done as soon as it is looked at, and what comes later without a server. Sizes are fixed; a run that outgrows
// them fails.
#pragma once

#include "sim/batch/loop/delays.h"
#include "sim/batch/loop/ready_ranks.h"

namespace berth::batch {

template <typename Kind>
class Waiting {
 public:
  using Index = typename Kind::Index;
  using Mask = typename Kind::Mask;
  using Memory = typename Kind::Memory;

  explicit BERTH_PORTABLE Waiting(const RunState<Kind>& run) : run_(run), ranked_(run), delays_(run.memory) {}

  BERTH_PORTABLE void begin() {
    for (std::uint32_t server = 0; server < run_.num_servers(); ++server) {
      run_.hot.head(server) = 0;
      run_.hot.tail(server) = 0;
    }
    ranked_.begin();
  }

  // As it was at a moment of another run, after begin().
  BERTH_PORTABLE void resume(const SavedState& from) {
    instant_ = from.moment.instant;
    const std::uint32_t* key = from.waiting;
    for (std::uint32_t server = 0; server < run_.num_servers(); ++server) {
      const std::uint32_t count = from.num_waiting[server];
      run_.hot.tail(server) = static_cast<Index>(count);
      if (is_ranked(server)) continue;
      const Ring ring = ring_of(server);
      for (std::uint32_t i = 0; i < count; ++i) ring.at(static_cast<Index>(i)) = *key++;
    }
    ranked_.resume(from);
    delays_.resume(from);
  }

  [[nodiscard]] BERTH_PORTABLE bool failed() const { return trouble_.failed; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t instant() const { return instant_; }
  BERTH_PORTABLE void next_instant() { ++instant_; }

  // ---- Servers: devices, then queues of links.

  BERTH_PORTABLE void touch(std::uint32_t server) { touched_ |= Mask{1} << server; }
  // Those that may have something to begin. What comes from now on is of another instant.
  BERTH_PORTABLE Mask take_touched() {
    const Mask touched = touched_;
    touched_ = 0;
    marked_ = 0;
    return touched;
  }

  BERTH_PORTABLE void add_op(std::uint32_t device, std::uint32_t node) {
    if constexpr (Kind::kRanked) {
      touch(device);
      if constexpr (Kind::kOrder == Order::kRankTies) Memory::at(run_.memory.since, node) = instant_;
      std::uint32_t rank = load(&run_.ranks.of_node[node]);
      if (!waits_in_slot(device, rank, run_.hot.tail(device) == 0)) ranked_.add(device, rank);
    } else {
      queue_up(device, node);
    }
  }
  BERTH_PORTABLE void add_transfer(std::uint32_t queue, std::uint32_t number) {
    queue_up(run_.problem.num_devices + queue, number);
  }

  // True if what begins next on a server stands in its slot.
  BERTH_PORTABLE bool leave_slot(std::uint32_t server) {
    const Mask bit = Mask{1} << server;
    const bool stands_there = (first_in_line_ & bit) != 0;
    first_in_line_ &= ~bit;
    return stands_there;
  }
  BERTH_PORTABLE bool is_any_left(std::uint32_t server) {
    return is_ranked(server) ? run_.hot.tail(server) != 0 : run_.hot.head(server) != run_.hot.tail(server);
  }
  // An op, or its rank; a transfer.
  BERTH_PORTABLE std::uint32_t take(std::uint32_t server) {
    return is_ranked(server) ? ranked_.take(server, trouble_) : leave_queue(server);
  }

  // ---- Things that are done as soon as they are looked at, first in, first out.

  [[nodiscard]] BERTH_PORTABLE bool has_timeless() const { return first_timeless_ != end_timeless_; }
  BERTH_PORTABLE void push_timeless(std::uint32_t code) {
    if (end_timeless_ == run_.memory.capacities.timeless) {
      trouble_.failed = true;
    } else {
      Memory::at(run_.memory.timeless, end_timeless_++) = code;
    }
  }
  BERTH_PORTABLE std::uint32_t pop_timeless() {
    const std::uint32_t code = Memory::at(run_.memory.timeless, first_timeless_++);
    if (first_timeless_ == end_timeless_) first_timeless_ = end_timeless_ = 0;
    return code;
  }

  // ---- What comes later.

  [[nodiscard]] BERTH_PORTABLE Time next_delayed() const { return delays_.next(); }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t num_delayed() const { return delays_.size(); }
  BERTH_PORTABLE void push_delayed(Time time, std::uint32_t code) {
    if (!delays_.push(time, code)) trouble_.failed = true;
  }
  BERTH_PORTABLE std::uint32_t pop_delayed() { return delays_.pop(); }

 private:
  // Of a server: `capacity` items from the first on.
  struct Ring {
    std::uint32_t* items;
    std::uint32_t first, capacity;
    BERTH_PORTABLE std::uint32_t& at(Index place) const { return Memory::at(items, first + (place & (capacity - 1))); }
  };
  BERTH_PORTABLE Ring ring_of(std::uint32_t server) const {
    const Capacities& room = run_.memory.capacities;
    if (server < run_.problem.num_devices) return {run_.memory.ready, server * room.ready, room.ready};
    return {run_.memory.queued, (server - run_.problem.num_devices) * room.queued, room.queued};
  }
  BERTH_PORTABLE bool is_ranked(std::uint32_t server) const {
    return Kind::kRanked && server < run_.problem.num_devices;
  }

  // The first in line of an idle server with one lane waits in its slot, so that most never see the ring.
  BERTH_PORTABLE bool waits_in_slot(std::uint32_t server, std::uint32_t& key, bool is_empty) {
    if (Kind::kLanes && server < run_.problem.num_devices) return false;
    const std::uint32_t slot = Kind::kLanes ? run_.problem.first_slot[server] : server;
    const Mask bit = Mask{1} << server;
    if ((first_in_line_ & bit) != 0) {
      const std::uint32_t first = run_.hot.item(slot);
      if (key < first) {
        run_.hot.item(slot) = key;
        key = first;
      }
      return false;
    }
    if (!is_empty || run_.hot.end(slot) != kNever) return false;
    run_.hot.item(slot) = key;
    first_in_line_ |= bit;
    return true;
  }

  // What comes at one instant stands in the order of keys, behind what came before.
  BERTH_PORTABLE void queue_up(std::uint32_t server, std::uint32_t key) {
    touch(server);
    const Mask bit = Mask{1} << server;
    const Index head = run_.hot.head(server), tail = run_.hot.tail(server);
    if (waits_in_slot(server, key, head == tail)) return;
    Index mark = tail;
    if ((marked_ & bit) != 0) {
      mark = run_.hot.mark(server);
    } else {
      run_.hot.mark(server) = tail;
      marked_ |= bit;
    }
    const Ring ring = ring_of(server);
    if (static_cast<Index>(tail - head) >= ring.capacity) {
      trouble_.failed = true;
      return;
    }
    Index place = tail;
    while (place != mark) {
      const auto before = static_cast<Index>(place - 1);
      const std::uint32_t other = ring.at(before);
      if (other < key) break;
      ring.at(place) = other;
      place = before;
      trouble_.sort_one_more();  // a crowd in the worst order
    }
    ring.at(place) = key;
    run_.hot.tail(server) = static_cast<Index>(tail + 1);
  }
  BERTH_PORTABLE std::uint32_t leave_queue(std::uint32_t server) {
    const Index head = run_.hot.head(server);
    const std::uint32_t key = ring_of(server).at(head);
    run_.hot.head(server) = static_cast<Index>(head + 1);
    if (run_.hot.head(server) == run_.hot.tail(server)) {  // from the beginning again, where memory is warm
      run_.hot.head(server) = 0;
      run_.hot.tail(server) = 0;
    }
    return key;
  }

  RunState<Kind> run_;
  ReadyRanks<Kind> ranked_;
  Delays<Kind> delays_;
  Trouble trouble_;
  Mask touched_ = 0;        // servers that may have something to begin
  Mask first_in_line_ = 0;  // servers whose slot holds what begins next
  Mask marked_ = 0;         // servers whose mark is of this instant
  std::uint32_t first_timeless_ = 0, end_timeless_ = 0;
  std::uint32_t instant_ = 0;
};

}  // namespace berth::batch
