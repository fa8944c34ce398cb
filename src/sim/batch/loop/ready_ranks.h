// SPDX-License-Identifier: Apache-2.0
// Ready ops of every device by rank: a bit each, with bits for words that are not empty above, in three levels, so that
// the first one is found in three loads. The tail of a device's ring counts them.
#pragma once

#include "sim/batch/loop/run_kind.h"
#include "sim/batch/loop/snapshots.h"

namespace berth::batch {

template <typename Kind>
class ReadyRanks {
 public:
  explicit BERTH_PORTABLE ReadyRanks(const RunState<Kind>& run) : run_(run) {}

  BERTH_PORTABLE void begin() {
    for (std::uint32_t device = 0; device < run_.problem.num_devices; ++device) run_.hot.top(device) = 0;
  }

  // The words below the top are restored with all that lies in tiles, and how many there are with the rings.
  BERTH_PORTABLE void resume(const SavedState& from) {
    for (std::uint32_t device = 0; device < run_.problem.num_devices; ++device) {
      run_.hot.top(device) = from.times[from.places.top(device)];
    }
  }

  BERTH_PORTABLE void add(std::uint32_t device, std::uint32_t rank) {
    ++run_.hot.tail(device);
    std::uint64_t& word = low_word(device, rank / 64);
    const bool was_empty = word == 0;
    word |= bit(rank % 64);
    if (!was_empty) return;
    std::uint64_t& above = high_word(device, rank / 4096);
    if (above == 0) run_.hot.top(device) |= bit(rank / 4096);
    above |= bit(rank / 64 % 64);
  }

  // The rank that goes first; there must be one.
  BERTH_PORTABLE std::uint32_t take(std::uint32_t device, Trouble& trouble) {
    std::uint32_t rank = first(device);
    if constexpr (Kind::kOrder == Order::kRankTies) rank = earliest_of_ties(device, rank, trouble);
    remove(device, rank);
    return rank;
  }

 private:
  static BERTH_PORTABLE std::uint64_t bit(std::uint32_t place) { return std::uint64_t{1} << place; }
  BERTH_PORTABLE std::uint64_t& word(std::uint32_t device, std::uint32_t place) {
    return Kind::Memory::at(run_.memory.ranks, device * rank_words_of_device(run_.problem.num_ops) + place);
  }
  BERTH_PORTABLE std::uint64_t& low_word(std::uint32_t device, std::uint32_t place) { return word(device, place); }
  BERTH_PORTABLE std::uint64_t& high_word(std::uint32_t device, std::uint32_t place) {
    return word(device, rank_words(run_.problem.num_ops) + place);
  }

  BERTH_PORTABLE std::uint32_t first(std::uint32_t device) {
    const std::uint32_t high = lowest_bit(run_.hot.top(device));
    const std::uint32_t middle = high * 64 + lowest_bit(high_word(device, high));
    return middle * 64 + lowest_bit(low_word(device, middle));
  }

  BERTH_PORTABLE void remove(std::uint32_t device, std::uint32_t rank) {
    --run_.hot.tail(device);
    std::uint64_t& word = low_word(device, rank / 64);
    word &= ~bit(rank % 64);
    if (word != 0) return;
    std::uint64_t& above = high_word(device, rank / 4096);
    above &= ~bit(rank / 64 % 64);
    if (above == 0) run_.hot.top(device) &= ~bit(rank / 4096);
  }

  // Of those with the priority of the first, the one that was ready first; of these the one with the lowest id.
  BERTH_PORTABLE std::uint32_t earliest_of_ties(std::uint32_t device, std::uint32_t first, Trouble& trouble) {
    const std::uint32_t end = load(&run_.ranks.tie_end[first]);
    if (end == first + 1) return first;
    std::uint32_t best = first, earliest = since(first);
    std::uint64_t word = low_word(device, first / 64) & (~std::uint64_t{1} << (first % 64));
    for (std::uint32_t at = first / 64;;) {
      for (; word != 0; word &= word - 1) {
        const std::uint32_t rank = at * 64 + lowest_bit(word);
        if (rank >= end) return best;
        if (const std::uint32_t time = since(rank); time < earliest) {
          earliest = time;
          best = rank;
        }
        trouble.sort_one_more();
      }
      if (++at * 64 >= end) return best;
      word = low_word(device, at);
    }
  }
  BERTH_PORTABLE std::uint32_t since(std::uint32_t rank) {
    return Kind::Memory::at(run_.memory.since, load(&run_.ranks.node_at[rank]));
  }

  RunState<Kind> run_;
};

}  // namespace berth::batch
