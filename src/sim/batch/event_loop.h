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

enum class Found { kNothing, kWork, kEnd };

template <std::uint32_t kStride, typename Index, typename Mask, Order kOrder, bool kLanes>
class EventLoop {
 public:
  using Memory = Workspace<kStride>;
  BERTH_PORTABLE EventLoop(const CompactView& problem, const Memory& memory, const HotState<Index>& hot,
                           const Ranks& ranks)
      : problem_(problem), memory_(memory), hot_(hot), ranks_(ranks) {}

  // Nodes must be set to what they wait for and where they are, and the bits of ranks to 0.
  BERTH_PORTABLE void begin() {
    for (std::uint32_t slot = 0; slot < problem_.num_slots; ++slot) hot_.end(slot) = kNever;
    for (std::uint32_t server = 0; server < problem_.num_devices + problem_.num_queues; ++server) {
      hot_.head(server) = 0;
      hot_.tail(server) = 0;
    }
    for (std::uint32_t device = 0; device < problem_.num_devices; ++device) {
      hot_.held(device) = 0;
      hot_.top(device) = 0;
    }
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

  BERTH_PORTABLE Found fetch() {
    if (next_source_ < problem_.num_sources) {
      const std::uint32_t node = load(&problem_.sources[next_source_++]);
      become_ready(node, device_of(node_word(node)), load(&problem_.timeless[node]));
      return Found::kNothing;
    }
    if (first_timeless_ != end_timeless_) {
      const std::uint32_t code = Memory::at(memory_.timeless, first_timeless_++);
      if (first_timeless_ == end_timeless_) first_timeless_ = end_timeless_ = 0;
      if (code >> 31) return end_hop(code & ~kIsTransfer);
      return end_op(code & kNodeMask, code >> kCodeShift);
    }
    if (ending_ == 0 && next_delayed_ != now_ && !advance()) return Found::kEnd;
    if (ending_ != 0) {
      const std::uint32_t slot = lowest_bit(ending_);
      ending_ &= ending_ - 1;
      const std::uint32_t server = server_of(slot);
      hot_.end(slot) = kNever;
      touched_ |= Mask{1} << server;
      return server < problem_.num_devices ? end_op(hot_.item(slot), server) : end_hop(hot_.item(slot));
    }
    const std::uint32_t code = pop_delayed();
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
    for (;;) {
      const Found found = fetch();
      if (failed_ || found == Found::kEnd) return !failed_;
      if (found == Found::kWork) {
        while (!work()) {
        }
      }
    }
  }

  [[nodiscard]] BERTH_PORTABLE bool failed() const { return failed_; }
  [[nodiscard]] BERTH_PORTABLE Time now() const { return now_; }
  BERTH_PORTABLE HotState<Index>& hot() { return hot_; }

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
        if (!arrives) push_delayed(now_ + latency, record.node());
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
    bool is_timeless = timeless == Record::kTakesNone;
    if (timeless >= Record::kDependsOnDevice) {
      const Start start = start_of(node, device);
      is_timeless = start.duration == 0;
      if (is_timeless && start.bytes != 0) grow(device, start.bytes);
    }
    if (is_timeless) {
      push_timeless(node | device << kCodeShift);
    } else if constexpr (kOrder == Order::kReadyTime) {
      queue_up(device, node, memory_.ready, memory_.capacities.ready, device);
    } else {
      rank_up(device, node);
    }
  }

  BERTH_PORTABLE void request(const Transfer& transfer) {
    const Hop hop = hop_of(transfer);
    const Time duration = time_of(transfer, hop);
    const std::uint32_t number = number_of(problem_, transfer);
    if (duration != 0 && hop.queue() != Hop::kUncontended) {
      queue_up(problem_.num_devices + hop.queue(), number, memory_.queued, memory_.capacities.queued, hop.queue());
      return;
    }
    if (hop.last()) grow(transfer.to, load(&problem_.tensor_bytes[transfer.tensor]));
    if (duration != 0) {
      push_delayed(now_ + duration, number | kIsTransfer);
    } else {
      push_timeless(number | kIsTransfer);
    }
  }

  BERTH_PORTABLE void grow(std::uint32_t device, std::int64_t bytes) {
    hot_.held(device) += bytes;
    grown_ |= Mask{1} << device;
  }

  BERTH_PORTABLE void push_timeless(std::uint32_t code) {
    if (end_timeless_ == memory_.capacities.timeless) {
      failed_ = true;
    } else {
      Memory::at(memory_.timeless, end_timeless_++) = code;
    }
  }

  // The first in line of an idle server with one lane waits in its slot, so that most never see the ring.
  BERTH_PORTABLE bool waits_in_slot(std::uint32_t server, std::uint32_t& key, bool is_empty) {
    if (kLanes && server < problem_.num_devices) return false;
    const std::uint32_t slot = slot_of(server);
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
  BERTH_PORTABLE std::uint32_t slot_of(std::uint32_t server) const {
    return kLanes ? problem_.first_slot[server] : server;
  }

  // What comes at one instant stands in the order of keys, behind what came before.
  BERTH_PORTABLE void queue_up(std::uint32_t server, std::uint32_t key, std::uint32_t* rings, std::uint32_t capacity,
                               std::uint32_t ring) {
    const Mask bit = Mask{1} << server;
    touched_ |= bit;
    const Index head = hot_.head(server), tail = hot_.tail(server);
    if (waits_in_slot(server, key, head == tail)) return;
    Index mark = tail;
    if ((marked_ & bit) != 0) {
      mark = hot_.mark(server);
    } else {
      hot_.mark(server) = tail;
      marked_ |= bit;
    }
    if (static_cast<Index>(tail - head) >= capacity) {
      failed_ = true;
      return;
    }
    const std::uint32_t base = ring * capacity;
    Index place = tail;
    while (place != mark) {
      const auto before = static_cast<Index>(place - 1);
      const std::uint32_t other = Memory::at(rings, base + (before & (capacity - 1)));
      if (other < key) break;
      Memory::at(rings, base + (place & (capacity - 1))) = other;
      place = before;
      if (++shifted_ > kPatience) failed_ = true;  // a crowd in the worst order
    }
    Memory::at(rings, base + (place & (capacity - 1))) = key;
    hot_.tail(server) = static_cast<Index>(tail + 1);
  }
  BERTH_PORTABLE std::uint32_t leave_queue(std::uint32_t server, const std::uint32_t* rings, std::uint32_t capacity,
                                           std::uint32_t ring) {
    const Index head = hot_.head(server);
    const std::uint32_t key = Memory::at(rings, ring * capacity + (head & (capacity - 1)));
    hot_.head(server) = static_cast<Index>(head + 1);
    if (hot_.head(server) == hot_.tail(server)) {  // from the beginning again, where memory is warm
      hot_.head(server) = 0;
      hot_.tail(server) = 0;
    }
    return key;
  }

  // Ready ops by rank: a bit each, with bits for words that are not empty above. The tail of the ring counts them.
  BERTH_PORTABLE void rank_up(std::uint32_t device, std::uint32_t node) {
    touched_ |= Mask{1} << device;
    if constexpr (kOrder == Order::kRankTies) Memory::at(memory_.since, node) = instant_;
    std::uint32_t rank = load(&ranks_.of_node[node]);
    if (waits_in_slot(device, rank, hot_.tail(device) == 0)) return;
    ++hot_.tail(device);
    const std::uint32_t low = device * rank_words_of_device(problem_.num_ops);
    std::uint64_t& word = Memory::at(memory_.ranks, low + rank / 64);
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << (rank % 64);
    if (!was_empty) return;
    std::uint64_t& above = Memory::at(memory_.ranks, low + rank_words(problem_.num_ops) + rank / 4096);
    if (above == 0) hot_.top(device) |= std::uint64_t{1} << (rank / 4096);
    above |= std::uint64_t{1} << (rank / 64 % 64);
  }
  BERTH_PORTABLE std::uint32_t first_rank(std::uint32_t device) {
    const std::uint32_t low = device * rank_words_of_device(problem_.num_ops);
    const std::uint32_t high = lowest_bit(hot_.top(device));
    const std::uint32_t middle =
        high * 64 + lowest_bit(Memory::at(memory_.ranks, low + rank_words(problem_.num_ops) + high));
    return middle * 64 + lowest_bit(Memory::at(memory_.ranks, low + middle));
  }
  BERTH_PORTABLE void leave_ranks(std::uint32_t device, std::uint32_t rank) {
    --hot_.tail(device);
    const std::uint32_t low = device * rank_words_of_device(problem_.num_ops);
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
    const std::uint32_t low = device * rank_words_of_device(problem_.num_ops);
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

  // A binary heap by time.
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
  BERTH_PORTABLE void move_delayed(std::uint32_t from, std::uint32_t to) {
    Memory::at(memory_.delay_ends, to) = Memory::at(memory_.delay_ends, from);
    Memory::at(memory_.delayed, to) = Memory::at(memory_.delayed, from);
  }

  // ---- From one instant to the next.

  BERTH_PORTABLE bool advance() {
    for (; touched_ != 0; touched_ &= touched_ - 1) pick(lowest_bit(touched_));
    marked_ = 0;
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
    if (next_delayed_ < next) {
      next = next_delayed_;
      ending = 0;
    }
    if (next == kNever) return false;
    note_peaks();  // only now: at the last instant of all every lifetime has ended
    now_ = next;
    ending_ = ending;
    ++instant_;
    return true;
  }

  BERTH_PORTABLE void pick(std::uint32_t server) {
    const Mask bit = Mask{1} << server;
    if ((first_in_line_ & bit) != 0) {
      first_in_line_ &= ~bit;
      begin_item(server, slot_of(server), hot_.item(slot_of(server)));
      return;
    }
    const std::uint32_t end = kLanes ? problem_.first_slot[server + 1] : slot_of(server) + 1;
    for (std::uint32_t slot = slot_of(server); slot < end && has_waiting(server); ++slot) {
      if (hot_.end(slot) == kNever) begin_item(server, slot, take(server));
    }
  }
  BERTH_PORTABLE bool has_waiting(std::uint32_t server) {
    const bool is_ranked = kOrder != Order::kReadyTime && server < problem_.num_devices;
    return is_ranked ? hot_.tail(server) != 0 : hot_.head(server) != hot_.tail(server);
  }
  BERTH_PORTABLE std::uint32_t take(std::uint32_t server) {
    if (server >= problem_.num_devices) {
      return leave_queue(server, memory_.queued, memory_.capacities.queued, server - problem_.num_devices);
    }
    if constexpr (kOrder == Order::kReadyTime) {
      return leave_queue(server, memory_.ready, memory_.capacities.ready, server);
    } else {
      return take_ranked(server);
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

  static constexpr std::uint32_t kPatience = 100'000'000;  // steps spent on sorting before a run is given up

  const CompactView& problem_;
  Memory memory_;
  HotState<Index> hot_;
  Ranks ranks_;

  Time now_ = 0, next_delayed_ = kNever;
  Mask ending_ = 0;         // slots whose end is now and not yet looked at
  Mask touched_ = 0;        // servers that may have something to begin
  Mask first_in_line_ = 0;  // servers whose slot holds what begins next
  Mask marked_ = 0;         // servers whose mark is of this instant
  Mask grown_ = 0;          // devices that hold more than before
  std::uint32_t next_source_ = 0, first_timeless_ = 0, end_timeless_ = 0, num_delayed_ = 0;
  std::uint32_t instant_ = 0, shifted_ = 0;
  bool failed_ = false;

  // The item that work() is at: the end of an op, or of a tensor's hop.
  std::uint32_t item_ = 0, device_ = 0, chunk_ = 0, end_chunk_ = 0;
  std::uint32_t uses_ = 0, view_uses_ = 0, leaves_ = kNone;
  Mask destinations_ = 0;
  bool delivers_ = false, first_output_ = true;
};

}  // namespace berth::batch
