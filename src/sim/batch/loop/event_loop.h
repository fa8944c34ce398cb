// SPDX-License-Identifier: Apache-2.0
// EventLoop: one run of one plan, by the rules of docs/simulator.md, as sim/engine does it but for what it leaves out:
// fusion, timelines, and who was to blame for an overflow. One source for the processor and for a GPU: no allocation,
// no floating point, no recursion, state in a few words per op.
//
// A step of it is small, since on a GPU the plans of a warp wait for the longest: fetch() finds the next thing that
// ends, work() does four records of what follows from it (ended.h).
#pragma once

#include "sim/batch/loop/agenda.h"
#include "sim/batch/loop/ended.h"

namespace berth::batch {

enum class Found { kNothing, kWork, kEnd };

template <typename Kind>
class EventLoop {
 public:
  using KindOfRun = Kind;
  using Mask = typename Kind::Mask;

  explicit BERTH_PORTABLE EventLoop(const RunState<Kind>& run, const typename Kind::Watch& watch = {})
      : run_(run), agenda_(run, watch), ended_(run) {}

  // Nodes must be set to what they wait for and where they are, and the bits of ranks to 0.
  BERTH_PORTABLE void begin() { agenda_.begin(); }

  // After begin(): goes on as the base did behind a moment, whose nodes, counters, ranks and ready times are in memory,
  // patched for what has moved.
  BERTH_PORTABLE void resume(const Snapshots& base, std::uint32_t moment) {
    const SavedState from = saved_state(run_.problem, base, moment);
    if (from.moment.ended == 0) return;
    agenda_.resume(from);
    next_source_ = run_.problem.num_sources;
  }

  // True between two instants: everything that ended at this one has taken effect.
  [[nodiscard]] BERTH_PORTABLE bool is_between_instants() const {
    const Waiting<Kind>& waiting = agenda_.waiting();
    return next_source_ == run_.problem.num_sources && !waiting.has_timeless() && ending_ == 0 &&
           waiting.next_delayed() != agenda_.now();
  }
  BERTH_PORTABLE void begin_what_waits() { agenda_.begin_what_waits(); }

  BERTH_PORTABLE Found fetch() {
    Waiting<Kind>& waiting = agenda_.waiting();
    if (next_source_ < run_.problem.num_sources) {
      const std::uint32_t node = load(&run_.problem.sources[next_source_++]);
      agenda_.become_ready(node, device_of(run_.node_word(node)), load(&run_.problem.timeless[node]));
      return Found::kNothing;
    }
    if (waiting.has_timeless()) {
      const std::uint32_t code = waiting.pop_timeless();
      if (agenda_.is_transfer(code)) return end_hop(agenda_.transfer_in(code));
      return end_op(agenda_.node_in(code), agenda_.device_in(code));
    }
    if (ending_ == 0 && waiting.next_delayed() != agenda_.now() && !agenda_.advance(ending_)) return Found::kEnd;
    if (ending_ != 0) {
      const std::uint32_t slot = lowest_bit(ending_);
      ending_ &= ending_ - 1;
      const std::uint32_t server = Kind::kLanes ? run_.problem.server_of[slot] : slot;
      run_.hot.end(slot) = kNever;
      waiting.touch(server);
      const std::uint32_t item = run_.hot.item(slot);
      return server < run_.problem.num_devices ? end_op(item, server) : end_hop(item);
    }
    const std::uint32_t code = waiting.pop_delayed();
    if (agenda_.is_transfer(code)) return end_hop(agenda_.transfer_in(code));
    const std::uint32_t word = run_.node_word(code) - kOneWait;
    run_.node_word(code) = word;
    if (word < kOneWait) agenda_.become_ready(code, device_of(word), load(&run_.problem.timeless[code]));
    return Found::kNothing;
  }

  // Does one chunk of what fetch() found; true when all of it is done.
  BERTH_PORTABLE bool work() { return ended_.work(agenda_); }

  // False if something overflowed: there is no result then.
  BERTH_PORTABLE bool run() {
    begin();
    return go_on();
  }
  BERTH_PORTABLE bool go_on() {
    for (;;) {
      const Found found = fetch();
      if (failed() || found == Found::kEnd) return !failed();
      if (found == Found::kWork) {
        while (!work()) {
        }
      }
    }
  }

  [[nodiscard]] BERTH_PORTABLE bool failed() const { return agenda_.waiting().failed(); }
  [[nodiscard]] BERTH_PORTABLE const Agenda<Kind>& agenda() const { return agenda_; }
  [[nodiscard]] BERTH_PORTABLE Time now() const { return agenda_.now(); }
  BERTH_PORTABLE HotState<typename Kind::Index>& hot() { return run_.hot; }

 private:
  BERTH_PORTABLE Found end_op(std::uint32_t node, std::uint32_t device) {
    agenda_.note_end(node);
    ended_.begin_op(node, device);
    return Found::kWork;
  }
  BERTH_PORTABLE Found end_hop(std::uint32_t number) {
    return ended_.begin_hop(number, agenda_) ? Found::kWork : Found::kNothing;
  }

  RunState<Kind> run_;
  Agenda<Kind> agenda_;
  Ended<Kind> ended_;
  Mask ending_ = 0;  // slots whose end is now and not yet looked at
  std::uint32_t next_source_ = 0;
};

}  // namespace berth::batch
