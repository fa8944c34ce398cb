// SPDX-License-Identifier: Apache-2.0
// What a run of the event loop has still to do: ops become ready, transfers are requested, and servers begin what waits
// for them.
#pragma once

#include "sim/batch/loop/holdings.h"
#include "sim/batch/loop/waiting.h"

namespace berth::batch {

template <typename Kind>
class Agenda {
 public:
  using Mask = typename Kind::Mask;

  BERTH_PORTABLE Agenda(const RunState<Kind>& run, const typename Kind::Watch& watch)
      : run_(run), waiting_(run), holdings_(run), watch_(watch) {}

  BERTH_PORTABLE void begin() {
    for (std::uint32_t slot = 0; slot < run_.problem.num_slots; ++slot) run_.hot.end(slot) = kNever;
    waiting_.begin();
    holdings_.begin();
  }

  // After begin(): as it was at a moment of another run.
  BERTH_PORTABLE void resume(const SavedState& from) {
    now_ = from.moment.now;
    for (std::uint32_t slot = 0; slot < run_.problem.num_slots; ++slot) {
      run_.hot.end(slot) = from.times[slot];
      run_.hot.item(slot) = from.items[slot];
    }
    waiting_.resume(from);
    holdings_.resume(from);
  }

  BERTH_PORTABLE Waiting<Kind>& waiting() { return waiting_; }
  [[nodiscard]] BERTH_PORTABLE const Waiting<Kind>& waiting() const { return waiting_; }
  BERTH_PORTABLE Holdings<Kind>& holdings() { return holdings_; }
  [[nodiscard]] BERTH_PORTABLE const Holdings<Kind>& holdings() const { return holdings_; }
  [[nodiscard]] BERTH_PORTABLE Time now() const { return now_; }

  // ---- Codes of things that wait without a server: ops with their device, transfers, and control signals to a node.

  static BERTH_PORTABLE bool is_transfer(std::uint32_t code) { return code >> 31 != 0; }
  static BERTH_PORTABLE std::uint32_t transfer_in(std::uint32_t code) { return code & ~kIsTransfer; }
  static BERTH_PORTABLE std::uint32_t node_in(std::uint32_t code) { return code & kNodeMask; }
  static BERTH_PORTABLE std::uint32_t device_in(std::uint32_t code) { return code >> kCodeShift; }

  BERTH_PORTABLE void note_end(std::uint32_t node) { watch_.note_end(node, waiting_.instant()); }
  BERTH_PORTABLE void become_ready(std::uint32_t node, std::uint32_t device, std::uint32_t timeless) {
    watch_.note_ready(node, waiting_.instant());
    bool is_timeless = timeless == Record::kTakesNone;
    if (timeless >= Record::kDependsOnDevice) {
      const Start start = start_of(node, device);
      is_timeless = start.duration == 0;
      if (is_timeless && start.bytes != 0) holdings_.grow(device, start.bytes);
    }
    if (is_timeless) {
      waiting_.push_timeless(node | device << kCodeShift);
    } else {
      waiting_.add_op(device, node);
    }
  }

  BERTH_PORTABLE void signal(std::uint32_t node, Time latency) { waiting_.push_delayed(now_ + latency, node); }

  BERTH_PORTABLE void request(const Transfer& transfer) {
    const Hop hop = hop_of(transfer);
    const Time duration = time_of(transfer, hop);
    const std::uint32_t number = number_of(run_.problem, transfer);
    if (duration != 0 && hop.queue() != Hop::kUncontended) {
      waiting_.add_transfer(hop.queue(), number);
      return;
    }
    if (hop.last()) grow_by(transfer);
    if (duration != 0) {
      waiting_.push_delayed(now_ + duration, number | kIsTransfer);
    } else {
      waiting_.push_timeless(number | kIsTransfer);
    }
  }
  BERTH_PORTABLE Hop hop_of(const Transfer& transfer) const {
    const CompactView& problem = run_.problem;
    return problem.hops[problem.first_hop[transfer.from * problem.num_devices + transfer.to] + transfer.hop];
  }

  // ---- From one instant to the next.

  BERTH_PORTABLE void begin_what_waits() {
    for (Mask touched = waiting_.take_touched(); touched != 0; touched &= touched - 1) pick(lowest_bit(touched));
  }

  // Begins what waits and goes on to when something ends: there are its slots. False if nothing ever does.
  BERTH_PORTABLE bool advance(Mask& ending) {
    begin_what_waits();
    Time next = kNever;
    ending = 0;
    for (std::uint32_t slot = 0; slot < run_.problem.num_slots; ++slot) {
      const Time end = run_.hot.end(slot);
      if (end < next) {
        next = end;
        ending = 0;
      }
      if (end == next) ending |= Mask{1} << slot;
    }
    if (waiting_.next_delayed() < next) {
      next = waiting_.next_delayed();
      ending = 0;
    }
    if (next == kNever) {
      ending = 0;
      return false;
    }
    holdings_.note_peaks();  // only now: at the last instant of all every lifetime has ended
    now_ = next;
    waiting_.next_instant();
    return true;
  }

 private:
  static constexpr std::uint32_t kIsTransfer = 1U << 31;
  static constexpr std::uint32_t kCodeShift = Record::kNodeBits;
  static constexpr std::uint32_t kNodeMask = (1U << kCodeShift) - 1;
  static_assert(kCodeShift + kDeviceBits < 31);

  BERTH_PORTABLE Start start_of(std::uint32_t node, std::uint32_t device) const {
    const CompactView& problem = run_.problem;
    return load(&problem.start[static_cast<std::size_t>(node) * problem.num_classes + problem.class_of[device]]);
  }
  BERTH_PORTABLE Time time_of(const Transfer& transfer, Hop hop) const {
    const CompactView& problem = run_.problem;
    return load(&problem.hop_time[static_cast<std::size_t>(hop.link()) * problem.num_tensors + transfer.tensor]);
  }
  BERTH_PORTABLE void grow_by(const Transfer& transfer) {
    holdings_.grow(transfer.to, load(&run_.problem.tensor_bytes[transfer.tensor]));
  }

  BERTH_PORTABLE void pick(std::uint32_t server) {
    const std::uint32_t first = Kind::kLanes ? run_.problem.first_slot[server] : server;
    if (waiting_.leave_slot(server)) {
      begin_item(server, first, run_.hot.item(first));
      return;
    }
    const std::uint32_t end = Kind::kLanes ? run_.problem.first_slot[server + 1] : first + 1;
    for (std::uint32_t slot = first; slot < end && waiting_.is_any_left(server); ++slot) {
      if (run_.hot.end(slot) == kNever) begin_item(server, slot, waiting_.take(server));
    }
  }

  // An op, or its rank, starts on a lane; a transfer on a link.
  BERTH_PORTABLE void begin_item(std::uint32_t server, std::uint32_t slot, std::uint32_t key) {
    if (server < run_.problem.num_devices) {
      std::uint32_t node = key;
      if constexpr (Kind::kRanked) node = load(&run_.ranks.node_at[key]);
      const Start start = start_of(node, server);
      run_.hot.item(slot) = node;
      run_.hot.end(slot) = now_ + start.duration;
      if (start.bytes != 0) holdings_.grow(server, start.bytes);
      return;
    }
    const Transfer transfer = transfer_of(run_.problem, key);
    const Hop hop = hop_of(transfer);
    run_.hot.item(slot) = key;
    run_.hot.end(slot) = now_ + time_of(transfer, hop);
    if (hop.last()) grow_by(transfer);
  }

  RunState<Kind> run_;
  Waiting<Kind> waiting_;
  Holdings<Kind> holdings_;
  [[no_unique_address]] typename Kind::Watch watch_;
  Time now_ = 0;
};

}  // namespace berth::batch
