// SPDX-License-Identifier: Apache-2.0
// EventLoop: one run of one plan, by the rules of docs/simulator.md, as sim/engine does it but for what it leaves out:
// fusion, timelines, and who was to blame for an overflow. One source for the processor and for a GPU: no allocation,
// no floating point, no recursion, state in a few words per op.
//
// A step of it is small, since on a GPU the plans of a warp wait for the longest: fetch() finds the next thing that
// ends, work() does four records of what follows from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/batch/compact_view.h"
#include "sim/batch/waiting.h"

namespace berth::batch {

enum class Found { kNothing, kWork, kEnd };

// Told what happens in a run, by nobody who only wants its result.
struct NoWatch {
  BERTH_PORTABLE void note_ready(std::uint32_t, std::uint32_t) {}  // node, instant
  BERTH_PORTABLE void note_end(std::uint32_t, std::uint32_t) {}
};

template <std::uint32_t kStride, typename Index, typename Mask, Order kOrder, bool kLanes, typename Watch = NoWatch>
class EventLoop {
 public:
  using Memory = Workspace<kStride>;
  static constexpr Order kOrderOfOps = kOrder;
  BERTH_PORTABLE EventLoop(const CompactView& problem, const Memory& memory, const HotState<Index>& hot,
                           const Ranks& ranks, const Watch& watch = {})
      : problem_(problem),
        memory_(memory),
        hot_(hot),
        ranks_(ranks),
        watch_(watch),
        waiting_(problem, memory, hot, ranks) {}

  // Nodes must be set to what they wait for and where they are, and the bits of ranks to 0.
  BERTH_PORTABLE void begin() {
    for (std::uint32_t slot = 0; slot < problem_.num_slots; ++slot) hot_.end(slot) = kNever;
    waiting_.begin();
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) hot_.held(device) = 0;
    for (std::uint32_t i = 0; i < problem_.num_residents; ++i) {
      const Resident resident = load(&problem_.residents[i]);
      hot_.held(device_of(node_word(static_cast<std::uint32_t>(resident.node)))) += resident.bytes;
    }
    for (std::uint32_t pool = 0; pool < problem_.num_pools; ++pool) hot_.pool_peak(pool) = 0;
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) {
      hot_.peak(device) = hot_.held(device);
      const std::uint32_t pool = problem_.pool_of[device];
      if (pool < problem_.num_pools) hot_.pool_peak(pool) += hot_.held(device);
    }
  }

  // After begin(): goes on as the base did behind a moment, whose nodes, counters, ranks and ready times are in memory,
  // patched for what has moved. Residents have been counted where they are in this plan: they hold as much all the
  // time.
  BERTH_PORTABLE void resume(const Snapshots& from, std::uint32_t which) {
    const Moment moment = from.moments[which];
    if (moment.ended == 0) return;
    now_ = moment.now;
    grown_ = static_cast<Mask>(moment.grown);
    next_source_ = problem_.num_sources;
    const std::uint64_t* times = from.times + std::size_t{which} * HotState<Index>::num_times(problem_);
    const std::uint32_t* items = from.items + std::size_t{which} * problem_.num_slots;
    for (std::uint32_t slot = 0; slot < problem_.num_slots; ++slot) {
      hot_.end(slot) = *times++;
      hot_.item(slot) = items[slot];
    }
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) {
      hot_.held(device) += static_cast<std::int64_t>(times[device]);
      hot_.peak(device) += static_cast<std::int64_t>(times[problem_.num_devices + device]);
    }
    for (std::uint32_t pool = 0; pool < problem_.num_pools; ++pool) {
      hot_.pool_peak(pool) += static_cast<std::int64_t>(times[3 * problem_.num_devices + pool]);
    }
    waiting_.resume(from, which);
  }

  // Between two instants: everything that ended at this one has taken effect.
  [[nodiscard]] BERTH_PORTABLE bool is_between_instants() const {
    return next_source_ == problem_.num_sources && !waiting_.has_timeless() && ending_ == 0 &&
           waiting_.next_delayed() != now_;
  }
  BERTH_PORTABLE void begin_what_waits() {
    for (Mask touched = waiting_.take_touched(); touched != 0; touched &= touched - 1) pick(lowest_bit(touched));
  }

  BERTH_PORTABLE Found fetch() {
    if (next_source_ < problem_.num_sources) {
      const std::uint32_t node = load(&problem_.sources[next_source_++]);
      become_ready(node, device_of(node_word(node)), load(&problem_.timeless[node]));
      return Found::kNothing;
    }
    if (waiting_.has_timeless()) {
      const std::uint32_t code = waiting_.pop_timeless();
      if (code >> 31) return end_hop(code & ~kIsTransfer);
      return end_op(code & kNodeMask, code >> kCodeShift);
    }
    if (ending_ == 0 && waiting_.next_delayed() != now_ && !advance()) return Found::kEnd;
    if (ending_ != 0) {
      const std::uint32_t slot = lowest_bit(ending_);
      ending_ &= ending_ - 1;
      const std::uint32_t server = server_of(slot);
      hot_.end(slot) = kNever;
      waiting_.touch(server);
      return server < problem_.num_devices ? end_op(hot_.item(slot), server) : end_hop(hot_.item(slot));
    }
    const std::uint32_t code = waiting_.pop_delayed();
    if (code >> 31) return end_hop(code & ~kIsTransfer);
    const std::uint32_t word = node_word(code) - kOneWait;
    node_word(code) = word;
    if (word < kOneWait) become_ready(code, word, load(&problem_.timeless[code]));
    return Found::kNothing;
  }

  // Does one chunk of what fetch() found; true when all of it is done.
  BERTH_PORTABLE bool work() {
    Record records[kChunk + 1];
    std::uint32_t words[kChunk + 1];
    const bool more = load_chunk(records);
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      words[i] = records[i].kind() != Record::kNothing ? node_word(records[i].node()) : 0;
    }
    const Published published = tell_readers(records, words);
    release(records, words);
    if (published.tensor != kNone) publish(published);
    for (std::uint32_t ready = published.ready; ready != 0; ready &= ready - 1) {
      const std::uint32_t i = lowest_bit(ready);
      // Chosen by comparing: an array in registers has no places to be counted.
      const Record record = i < 2 ? (i == 0 ? records[0] : records[1]) : (i == 2 ? records[2] : records[3]);
      const std::uint32_t word = i < 2 ? (i == 0 ? words[0] : words[1]) : (i == 2 ? words[2] : words[3]);
      become_ready(record.node(), device_of(word), record.timeless());
    }
    return !more;
  }

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

  [[nodiscard]] BERTH_PORTABLE bool failed() const { return waiting_.failed(); }
  [[nodiscard]] BERTH_PORTABLE Time now() const { return now_; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t instant() const { return waiting_.instant(); }
  [[nodiscard]] BERTH_PORTABLE Mask grown() const { return grown_; }
  [[nodiscard]] BERTH_PORTABLE std::uint32_t num_delayed() const { return waiting_.num_delayed(); }
  BERTH_PORTABLE HotState<Index>& hot() { return hot_; }
  BERTH_PORTABLE Watch& watch() { return watch_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr std::uint32_t kIsTransfer = 1U << 31;
  static constexpr std::uint32_t kCodeShift = Record::kNodeBits;
  static constexpr std::uint32_t kNodeMask = (1U << kCodeShift) - 1;
  static_assert(kCodeShift + kDeviceBits < 31);

  struct Published {               // what a chunk told to readers
    std::uint32_t ready = 0;       // records whose node waits for nothing any more
    std::uint32_t tensor = kNone;  // whose last reader was in the chunk ...
    std::uint32_t uses = 0;        // ... and how many uses its storage has
    std::uint32_t storage = 0;
    Mask destinations = 0;
  };

  BERTH_PORTABLE std::uint32_t& node_word(std::uint32_t node) { return Memory::at(memory_.nodes, node); }
  static BERTH_PORTABLE std::uint32_t device_of(std::uint32_t word) { return word & kDeviceMask; }
  BERTH_PORTABLE std::uint32_t server_of(std::uint32_t slot) const { return kLanes ? problem_.server_of[slot] : slot; }
  BERTH_PORTABLE Start start_of(std::uint32_t node, std::uint32_t device) const {
    return load(&problem_.start[static_cast<std::size_t>(node) * problem_.num_classes + problem_.class_of[device]]);
  }
  BERTH_PORTABLE Hop hop_of(const Transfer& transfer) const {
    return problem_.hops[problem_.first_hop[transfer.from * problem_.num_devices + transfer.to] + transfer.hop];
  }
  BERTH_PORTABLE Time time_of(const Transfer& transfer, Hop hop) const {
    return load(&problem_.hop_time[static_cast<std::size_t>(hop.link()) * problem_.num_tensors + transfer.tensor]);
  }

  // ---- What ended.

  BERTH_PORTABLE Found end_op(std::uint32_t node, std::uint32_t device) {
    watch_.note_end(node, waiting_.instant());
    item_ = node;
    device_ = device;
    chunk_ = node;
    delivers_ = false;
    uses_ = view_uses_ = 0;
    destinations_ = 0;
    first_output_ = true;
    leaves_ = kNone;
    return Found::kWork;
  }

  // A transfer is at the end of a hop: the first one lets go what it was sent from; behind the last it is there.
  BERTH_PORTABLE Found end_hop(std::uint32_t number) {
    const Transfer transfer = transfer_of(problem_, number);
    item_ = transfer.tensor;
    uses_ = 0;
    delivers_ = true;
    leaves_ = transfer.hop == 0 ? transfer.from : kNone;
    if (hop_of(transfer).last()) {
      const Readers readers = load(&problem_.readers[transfer.tensor]);
      device_ = transfer.to;
      chunk_ = readers.first_chunk;
      end_chunk_ = readers.first_chunk + readers.num_chunks;
    } else {
      chunk_ = end_chunk_ = 0;
      request({transfer.tensor, transfer.to, transfer.from, transfer.hop + 1});
      if (leaves_ == kNone) return Found::kNothing;
    }
    return Found::kWork;
  }

  // True if there are more chunks behind it. The place behind the chunk is for what a transfer has left.
  BERTH_PORTABLE bool load_chunk(Record (&records)[kChunk + 1]) {
    bool more = false;
    if (delivers_ && chunk_ == end_chunk_) {
      BERTH_UNROLL
      for (std::uint32_t i = 0; i < kChunk; ++i) records[i] = {kNoRecord, 0};
    } else {
      struct alignas(16) Pair {
        Record first, second;
      };
      const auto* pairs = reinterpret_cast<const Pair*>(problem_.records) + std::size_t{2} * chunk_++;
      const Pair one = load(pairs), two = load(pairs + 1);
      records[0] = one.first;
      records[1] = one.second;
      records[2] = two.first;
      records[3] = two.second;
      more = delivers_ ? chunk_ < end_chunk_ : !records[0].ends_list();
    }
    records[kChunk] = {kNoRecord, 0};
    if (delivers_ && leaves_ != kNone) records[kChunk] = load(&problem_.home[item_]);
    return more;
  }

  BERTH_PORTABLE Published tell_readers(const Record (&records)[kChunk + 1], std::uint32_t (&words)[kChunk + 1]) {
    Published published;
    BERTH_UNROLL
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      const Record record = records[i];
      const std::uint32_t kind = record.kind(), where = device_of(words[i]);
      const bool is_here = where == device_;
      bool arrives = false;
      if (kind == Record::kReader) {
        if (delivers_) {
          arrives = is_here && record.body == item_;
        } else if (is_here) {
          arrives = true;
        } else {
          destinations_ |= Mask{1} << where;
        }
        uses_ += arrives ? 1 : 0;
      } else if (kind == Record::kControl && !delivers_) {
        const Time latency = is_here ? 0 : problem_.latency[device_ * problem_.num_devices + where];
        arrives = latency == 0;
        if (!arrives) waiting_.push_delayed(now_ + latency, record.node());
      }
      if (arrives) {
        words[i] -= kOneWait;
        node_word(record.node()) = words[i];
        if (words[i] < kOneWait) published.ready |= 1U << i;
      }
      if (record.ends_readers() && (!delivers_ || record.body == item_)) end_readers(record, published);
    }
    return published;
  }

  BERTH_PORTABLE void end_readers(const Record& record, Published& published) {
    published.tensor = record.body;
    published.uses = uses_;
    if (delivers_) return;
    published.uses += count_bits(destinations_) + (record.flag() ? 1 : 0);
    published.storage = record.storage();
    published.destinations = destinations_;
    if (published.storage == Record::kView) view_uses_ += published.uses;
    uses_ = 0;
    destinations_ = 0;
  }

  // The counter of the copy on a device that an input record speaks of; kNone: never freed.
  BERTH_PORTABLE std::uint32_t counter_of(const Record& record, std::uint32_t word, std::uint32_t device) const {
    const SideCounters counters{record.body};
    if (device_of(word) != device) return problem_.num_nodes + counters.elsewhere(device);
    if (record.storage() == Record::kResident) return kNone;
    if (record.storage() == Record::kView) {
      const std::uint32_t shared = word >> kDeviceBits;
      return shared == kUncounted ? kNone : shared;
    }
    return counters.first_output() ? record.node() : problem_.num_nodes + counters.home(device);
  }

  // Lets go the inputs of an op, and the source of a transfer. Counters are loaded together; two records of a chunk may
  // share one.
  BERTH_PORTABLE void release(const Record (&records)[kChunk + 1], const std::uint32_t (&words)[kChunk + 1]) {
    std::uint32_t counters[kChunk + 1], uses[kChunk + 1];
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      const bool is_release = records[i].kind() == Record::kInput && (i == kChunk || !delivers_);
      counters[i] = is_release ? counter_of(records[i], words[i], i == kChunk ? leaves_ : device_) : kNone;
      uses[i] = counters[i] != kNone ? uses_of(counters[i]) : 0;
    }
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      const bool is_looked_at = i < kChunk && !delivers_ && records[i].kind() == Record::kInput && records[i].flag();
      if (is_looked_at) {  // the view shares the counter from now on
        node_word(item_) = (counters[i] == kNone ? kUncounted : counters[i]) << kDeviceBits | device_;
      }
      if (counters[i] == kNone) continue;
      BERTH_UNROLL
      for (std::uint32_t j = 0; j < i; ++j) {
        if (counters[j] == counters[i]) uses[i] = uses[j];
      }
      uses[i] += (is_looked_at ? view_uses_ : 0) - 1;
      const std::uint32_t device = i == kChunk ? leaves_ : device_;
      set_uses(counters[i], uses[i], device);
      if (uses[i] == 0) hot_.held(device) -= load(&problem_.counter_bytes[counters[i]]);
    }
    leaves_ = kNone;
  }
  BERTH_PORTABLE std::uint32_t uses_of(std::uint32_t counter) {
    if (counter < problem_.num_nodes) return node_word(counter) >> kDeviceBits;
    return Memory::at(memory_.counters, counter - problem_.num_nodes);
  }
  BERTH_PORTABLE void set_uses(std::uint32_t counter, std::uint32_t uses, std::uint32_t device) {
    if (counter < problem_.num_nodes) {
      node_word(counter) = uses << kDeviceBits | device;
    } else {
      Memory::at(memory_.counters, counter - problem_.num_nodes) = static_cast<std::uint16_t>(uses);
    }
  }

  // All readers of a tensor are told: its copy here is held by those that are here, and others are sent one.
  BERTH_PORTABLE void publish(const Published& published) {
    const std::uint32_t tensor = published.tensor;
    if (delivers_) {
      const SideCounters counters = load(&problem_.readers[tensor]).counters;
      Memory::at(memory_.counters, counters.elsewhere(device_)) = static_cast<std::uint16_t>(published.uses);
      return;
    }
    if (published.storage == Record::kOwn) {
      if (published.uses == 0) {
        hot_.held(device_) -= load(&problem_.tensor_bytes[tensor]);
      } else if (first_output_) {
        node_word(item_) = published.uses << kDeviceBits | device_;
      } else if (const Readers readers = load(&problem_.readers[tensor]); readers.count > 0) {
        Memory::at(memory_.counters, readers.counters.home(device_)) = static_cast<std::uint16_t>(published.uses);
      }
    }
    first_output_ = false;
    for (Mask rest = published.destinations; rest != 0; rest &= rest - 1) {
      request({tensor, lowest_bit(rest), device_, 0});
    }
  }

  // ---- What comes next.

  BERTH_PORTABLE void become_ready(std::uint32_t node, std::uint32_t device, std::uint32_t timeless) {
    watch_.note_ready(node, waiting_.instant());
    bool is_timeless = timeless == Record::kTakesNone;
    if (timeless >= Record::kDependsOnDevice) {
      const Start start = start_of(node, device);
      is_timeless = start.duration == 0;
      if (is_timeless && start.bytes != 0) grow(device, start.bytes);
    }
    if (is_timeless) {
      waiting_.push_timeless(node | device << kCodeShift);
    } else {
      waiting_.add_op(device, node);
    }
  }

  BERTH_PORTABLE void request(const Transfer& transfer) {
    const Hop hop = hop_of(transfer);
    const Time duration = time_of(transfer, hop);
    const std::uint32_t number = number_of(problem_, transfer);
    if (duration != 0 && hop.queue() != Hop::kUncontended) {
      waiting_.add_transfer(hop.queue(), number);
      return;
    }
    if (hop.last()) grow(transfer.to, load(&problem_.tensor_bytes[transfer.tensor]));
    if (duration != 0) {
      waiting_.push_delayed(now_ + duration, number | kIsTransfer);
    } else {
      waiting_.push_timeless(number | kIsTransfer);
    }
  }

  BERTH_PORTABLE void grow(std::uint32_t device, std::int64_t bytes) {
    hot_.held(device) += bytes;
    grown_ |= Mask{1} << device;
  }

  // ---- From one instant to the next.

  BERTH_PORTABLE bool advance() {
    begin_what_waits();
    Time next = kNever;
    Mask ending = 0;
    for (std::uint32_t slot = 0; slot < problem_.num_slots; ++slot) {
      const Time end = hot_.end(slot);
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
    if (next == kNever) return false;
    note_peaks();  // only now: at the last instant of all every lifetime has ended
    now_ = next;
    ending_ = ending;
    waiting_.next_instant();
    return true;
  }

  BERTH_PORTABLE void pick(std::uint32_t server) {
    const std::uint32_t first = kLanes ? problem_.first_slot[server] : server;
    if (waiting_.leave_slot(server)) {
      begin_item(server, first, hot_.item(first));
      return;
    }
    const std::uint32_t end = kLanes ? problem_.first_slot[server + 1] : first + 1;
    for (std::uint32_t slot = first; slot < end && waiting_.is_any_left(server); ++slot) {
      if (hot_.end(slot) == kNever) begin_item(server, slot, waiting_.take(server));
    }
  }

  // An op, or its rank, starts on a lane; a transfer on a link.
  BERTH_PORTABLE void begin_item(std::uint32_t server, std::uint32_t slot, std::uint32_t key) {
    if (server < problem_.num_devices) {
      std::uint32_t node = key;
      if constexpr (kOrder != Order::kReadyTime) node = load(&ranks_.node_at[key]);
      const Start start = start_of(node, server);
      hot_.item(slot) = node;
      hot_.end(slot) = now_ + start.duration;
      if (start.bytes != 0) grow(server, start.bytes);
      return;
    }
    const Transfer transfer = transfer_of(problem_, key);
    const Hop hop = hop_of(transfer);
    hot_.item(slot) = key;
    hot_.end(slot) = now_ + time_of(transfer, hop);
    if (hop.last()) grow(transfer.to, load(&problem_.tensor_bytes[transfer.tensor]));
  }

  // Rule 5: what is held between this instant and the next.
  BERTH_PORTABLE void note_peaks() {
    for (; grown_ != 0; grown_ &= grown_ - 1) {
      const std::uint32_t device = lowest_bit(grown_);
      const std::int64_t held = hot_.held(device);
      if (held > hot_.peak(device)) hot_.peak(device) = held;
      if (problem_.num_pools > 0) note_pool_peak(problem_.pool_of[device]);
    }
  }
  BERTH_PORTABLE void note_pool_peak(std::uint32_t pool) {
    if (pool == problem_.num_pools) return;
    std::int64_t held = 0;
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) {
      if (problem_.pool_of[device] == pool) held += hot_.held(device);
    }
    if (held > hot_.pool_peak(pool)) hot_.pool_peak(pool) = held;
  }

  const CompactView& problem_;
  Memory memory_;
  HotState<Index> hot_;
  Ranks ranks_;
  [[no_unique_address]] Watch watch_;
  Waiting<kStride, Index, Mask, kOrder, kLanes> waiting_;

  Time now_ = 0;
  Mask ending_ = 0;  // slots whose end is now and not yet looked at
  Mask grown_ = 0;   // devices that hold more than before
  std::uint32_t next_source_ = 0;

  // The item that work() is at: the end of an op, or of a tensor's hop.
  std::uint32_t item_ = 0, device_ = 0, chunk_ = 0, end_chunk_ = 0;
  std::uint32_t uses_ = 0, view_uses_ = 0, leaves_ = kNone;
  Mask destinations_ = 0;
  bool delivers_ = false, first_output_ = true;
};

}  // namespace berth::batch
