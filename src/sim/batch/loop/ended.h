// SPDX-License-Identifier: Apache-2.0
// What follows from the end of an op, or of a tensor's way over a link: readers are told, others are sent a copy, and
// what was used is let go. Records of it come in chunks of four (compact_view.h), and a chunk is a step.
#pragma once

#include "sim/batch/loop/agenda.h"

namespace berth::batch {

template <typename Kind>
class Ended {
 public:
  using Mask = typename Kind::Mask;

  explicit BERTH_PORTABLE Ended(const RunState<Kind>& run) : run_(run) {}

  BERTH_PORTABLE void begin_op(std::uint32_t node, std::uint32_t device) {
    item_ = node;
    device_ = device;
    chunk_ = node;
    delivers_ = false;
    uses_ = view_uses_ = 0;
    destinations_ = 0;
    first_output_ = true;
    leaves_ = kNone;
  }

  // A transfer is at the end of a hop: the first one lets go what it was sent from; behind the last it is there. False
  // if nothing follows.
  BERTH_PORTABLE bool begin_hop(std::uint32_t number, Agenda<Kind>& agenda) {
    const Transfer transfer = transfer_of(run_.problem, number);
    item_ = transfer.tensor;
    uses_ = 0;
    delivers_ = true;
    leaves_ = transfer.hop == 0 ? transfer.from : kNone;
    if (agenda.hop_of(transfer).last()) {
      const Readers readers = load(&run_.problem.readers[transfer.tensor]);
      device_ = transfer.to;
      chunk_ = readers.first_chunk;
      end_chunk_ = readers.first_chunk + readers.num_chunks;
      return true;
    }
    chunk_ = end_chunk_ = 0;
    agenda.request({transfer.tensor, transfer.to, transfer.from, transfer.hop + 1});
    return leaves_ != kNone;
  }

  // One chunk; true when all is done.
  BERTH_PORTABLE bool work(Agenda<Kind>& agenda) {
    Record records[kChunk + 1];
    std::uint32_t words[kChunk + 1];
    const bool more = load_chunk(records);
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      words[i] = records[i].kind() != Record::kNothing ? run_.node_word(records[i].node()) : 0;
    }
    const Published published = tell_readers(records, words, agenda);
    release(records, words, agenda.holdings());
    if (published.tensor != kNone) publish(published, agenda);
    for (std::uint32_t ready = published.ready; ready != 0; ready &= ready - 1) {
      const std::uint32_t i = lowest_bit(ready);
      // Chosen by comparing: an array in registers has no places to be counted.
      const Record record = i < 2 ? (i == 0 ? records[0] : records[1]) : (i == 2 ? records[2] : records[3]);
      const std::uint32_t word = i < 2 ? (i == 0 ? words[0] : words[1]) : (i == 2 ? words[2] : words[3]);
      agenda.become_ready(record.node(), device_of(word), record.timeless());
    }
    return !more;
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct Published {               // what a chunk told to readers
    std::uint32_t ready = 0;       // records whose node waits for nothing any more
    std::uint32_t tensor = kNone;  // whose last reader was in the chunk ...
    std::uint32_t uses = 0;        // ... and how many uses its storage has
    std::uint32_t storage = 0;
    Mask destinations = 0;
  };

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
      const auto* pairs = reinterpret_cast<const Pair*>(run_.problem.records) + std::size_t{2} * chunk_++;
      const Pair one = load(pairs), two = load(pairs + 1);
      records[0] = one.first;
      records[1] = one.second;
      records[2] = two.first;
      records[3] = two.second;
      more = delivers_ ? chunk_ < end_chunk_ : !records[0].ends_list();
    }
    records[kChunk] = {kNoRecord, 0};
    if (delivers_ && leaves_ != kNone) records[kChunk] = load(&run_.problem.home[item_]);
    return more;
  }

  BERTH_PORTABLE Published tell_readers(const Record (&records)[kChunk + 1], std::uint32_t (&words)[kChunk + 1],
                                        Agenda<Kind>& agenda) {
    Published published;
    BERTH_UNROLL
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      const Record record = records[i];
      if (arrives(record, device_of(words[i]), agenda)) {
        words[i] -= kOneWait;
        run_.node_word(record.node()) = words[i];
        if (words[i] < kOneWait) published.ready |= 1U << i;
      }
      if (record.ends_readers() && (!delivers_ || record.body == item_)) end_readers(record, published);
    }
    return published;
  }

  // Whether a record's node, which is `where`, waits for one thing less from now on.
  BERTH_PORTABLE bool arrives(const Record& record, std::uint32_t where, Agenda<Kind>& agenda) {
    const bool is_here = where == device_;
    if (record.kind() == Record::kReader) {
      const bool reads = is_here && (!delivers_ || record.body == item_);
      if (!delivers_ && !is_here) destinations_ |= Mask{1} << where;
      uses_ += reads ? 1 : 0;
      return reads;
    }
    if (record.kind() != Record::kControl || delivers_) return false;
    const Time latency = is_here ? 0 : run_.problem.latency[device_ * run_.problem.num_devices + where];
    if (latency != 0) agenda.signal(record.node(), latency);
    return latency == 0;
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

  // Lets go the inputs of an op, and the source of a transfer. Counters are loaded together; two records of a chunk may
  // share one.
  BERTH_PORTABLE void release(const Record (&records)[kChunk + 1], const std::uint32_t (&words)[kChunk + 1],
                              Holdings<Kind>& holdings) {
    std::uint32_t counters[kChunk + 1], uses[kChunk + 1];
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      const bool is_release = records[i].kind() == Record::kInput && (i == kChunk || !delivers_);
      counters[i] = is_release ? holdings.counter_of(records[i], words[i], i == kChunk ? leaves_ : device_) : kNone;
      uses[i] = counters[i] != kNone ? holdings.uses_of(counters[i]) : 0;
    }
    BERTH_UNROLL
    for (std::uint32_t i = 0; i <= kChunk; ++i) {
      const bool is_looked_at = i < kChunk && !delivers_ && records[i].kind() == Record::kInput && records[i].flag();
      if (is_looked_at) {  // the view shares the counter from now on
        run_.node_word(item_) = (counters[i] == kNone ? kUncounted : counters[i]) << kDeviceBits | device_;
      }
      if (counters[i] == kNone) continue;
      BERTH_UNROLL
      for (std::uint32_t j = 0; j < i; ++j) {
        if (counters[j] == counters[i]) uses[i] = uses[j];
      }
      uses[i] += (is_looked_at ? view_uses_ : 0) - 1;
      holdings.leave_uses(counters[i], uses[i], i == kChunk ? leaves_ : device_);
    }
    leaves_ = kNone;
  }

  // All readers of a tensor are told: its copy here is held by those that are here, and others are sent one.
  BERTH_PORTABLE void publish(const Published& published, Agenda<Kind>& agenda) {
    const std::uint32_t tensor = published.tensor;
    Holdings<Kind>& holdings = agenda.holdings();
    if (delivers_) {
      const SideCounters counters = load(&run_.problem.readers[tensor]).counters;
      return holdings.set_side_uses(counters.elsewhere(device_), published.uses);
    }
    if (published.storage == Record::kOwn) {
      if (published.uses == 0) {
        holdings.shrink(device_, load(&run_.problem.tensor_bytes[tensor]));
      } else if (first_output_) {
        run_.node_word(item_) = published.uses << kDeviceBits | device_;
      } else if (const Readers readers = load(&run_.problem.readers[tensor]); readers.count > 0) {
        holdings.set_side_uses(readers.counters.home(device_), published.uses);
      }
    }
    first_output_ = false;
    for (Mask rest = published.destinations; rest != 0; rest &= rest - 1) {
      agenda.request({tensor, lowest_bit(rest), device_, 0});
    }
  }
  static_assert(Holdings<Kind>::kNoCounter == kNone);

  RunState<Kind> run_;
  std::uint32_t item_ = 0, device_ = 0, chunk_ = 0, end_chunk_ = 0;  // op or tensor, where, and its chunks
  std::uint32_t uses_ = 0, view_uses_ = 0, leaves_ = kNone;
  Mask destinations_ = 0;
  bool delivers_ = false, first_output_ = true;
};

}  // namespace berth::batch
