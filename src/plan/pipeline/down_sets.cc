// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/down_sets.h"

#include <algorithm>
#include <unordered_map>

#include "base/rng.h"

namespace berth {
namespace {

// Breadth first, so by size. Sets are bit masks in one array, found again by a hash that changes by one exclusive or
// per block; equal hashes are compared bit by bit.
class DownSetFinder {
 public:
  DownSetFinder(const StageProblem& stages, std::size_t most)
      : stages_(stages), most_(most), words_((stages.num_blocks() + 63) / 64) {
    Rng rng(1);
    for (std::size_t block = 0; block < stages.num_blocks(); ++block) keys_.push_back(rng.next());
    needs_.assign(stages.num_blocks() * words_, 0);
    for (std::size_t block = 0; block < stages.num_blocks(); ++block) {
      for (const std::uint32_t before : stages.predecessors[block]) needs_[block * words_ + before / 64] |= bit(before);
    }
  }

  std::optional<DownSets> run(const std::function<bool()>& should_stop) {
    add_empty_set();
    for (std::uint32_t set = 0; set < hashes_.size(); ++set) {
      if (hashes_.size() > most_ || is_too_wide(set) || (set % 256 == 0 && should_stop())) return std::nullopt;
      for (std::size_t i = 0; i < open_[set].size(); ++i) {
        const std::uint32_t block = open_[set][i];
        sets_.steps.push_back({block, set_with(set, block)});
      }
      sets_.begin.push_back(static_cast<std::uint32_t>(sets_.steps.size()));
      open_[set] = {};
    }
    return std::move(sets_);
  }

 private:
  static std::uint64_t bit(std::uint32_t block) { return std::uint64_t{1} << (block % 64); }

  // Any of the blocks that could be added could be left out: so many down-sets at least lie above this one.
  [[nodiscard]] bool is_too_wide(std::uint32_t set) const {
    return open_[set].size() >= 63 || (std::uint64_t{1} << open_[set].size()) > most_;
  }

  void add_empty_set() {
    masks_.assign(words_, 0);
    hashes_.push_back(0);
    sets_.begin.push_back(0);
    sets_.before.push_back(0);
    sets_.last.push_back(0);
    auto& open = open_.emplace_back();
    for (std::uint32_t block = 0; block < stages_.num_blocks(); ++block) {
      if (stages_.predecessors[block].empty()) open.push_back(block);
    }
    found_.emplace(0, 0);
  }

  std::uint32_t set_with(std::uint32_t set, std::uint32_t block) {
    const std::uint64_t hash = hashes_[set] ^ keys_[block];
    const auto [first, end] = found_.equal_range(hash);
    for (auto entry = first; entry != end; ++entry) {
      if (is_set_with(entry->second, set, block)) return entry->second;
    }
    const auto added = static_cast<std::uint32_t>(hashes_.size());
    found_.emplace(hash, added);
    hashes_.push_back(hash);
    sets_.before.push_back(set);
    sets_.last.push_back(block);
    masks_.resize(masks_.size() + words_);
    std::copy_n(masks_.begin() + static_cast<std::ptrdiff_t>(set * words_), words_,
                masks_.end() - static_cast<std::ptrdiff_t>(words_));
    masks_[added * words_ + block / 64] |= bit(block);
    list_open(added, set, block);
    return added;
  }

  [[nodiscard]] bool is_set_with(std::uint32_t candidate, std::uint32_t set, std::uint32_t block) const {
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t wanted = masks_[set * words_ + w] | (w == block / 64 ? bit(block) : 0);
      if (masks_[candidate * words_ + w] != wanted) return false;
    }
    return true;
  }

  // What can be added next: what could before, and successors of the block whose predecessors are all there now.
  void list_open(std::uint32_t added, std::uint32_t set, std::uint32_t block) {
    std::vector<std::uint32_t> open;
    for (const std::uint32_t other : open_[set]) {
      if (other != block) open.push_back(other);
    }
    for (const std::uint32_t next : stages_.successors[block]) {
      bool ready = true;
      for (std::size_t w = 0; w < words_ && ready; ++w)
        ready = (needs_[next * words_ + w] & ~masks_[added * words_ + w]) == 0;
      if (ready) open.push_back(next);
    }
    std::sort(open.begin(), open.end());
    open_.push_back(std::move(open));
  }

  const StageProblem& stages_;
  std::size_t most_, words_;
  std::vector<std::uint64_t> keys_, needs_, masks_, hashes_;
  std::vector<std::vector<std::uint32_t>> open_;  // of sets that are still to be extended
  std::unordered_multimap<std::uint64_t, std::uint32_t> found_;
  DownSets sets_;
};

// Time of the nets that cross every prefix of the order, on the kind of device that pays most.
std::vector<Picoseconds> transfers_under_way(const StageProblem& stages, std::span<const std::uint32_t> order) {
  const std::size_t kinds = stages.num_kinds();
  std::vector<std::size_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<Picoseconds> crossing(order.size() + 1, 0);  // first as differences
  for (std::size_t net = 0; net < stages.num_nets(); ++net) {
    if (stages.producer[net] == StageProblem::kFixed) continue;
    std::size_t first = position[stages.producer[net]], last = first;
    for (const std::uint32_t block : stages.readers[net]) {
      first = std::min(first, position[block]);
      last = std::max(last, position[block]);
    }
    const Picoseconds time = *std::max_element(&stages.out_time[net * kinds], &stages.out_time[net * kinds] + kinds);
    crossing[first + 1] += time;
    crossing[last + 1] -= time;
  }
  for (std::size_t i = 1; i < crossing.size(); ++i) crossing[i] += crossing[i - 1];
  return crossing;
}

std::vector<std::uint8_t> cheap_cuts(std::span<const Picoseconds> crossing, std::size_t most) {
  std::vector<std::uint8_t> is_cut(crossing.size(), 0);
  is_cut.front() = is_cut.back() = 1;
  for (std::size_t i = 0; i < most; ++i) {
    const auto first = crossing.begin() + static_cast<std::ptrdiff_t>(i * crossing.size() / most);
    const auto last = crossing.begin() + static_cast<std::ptrdiff_t>((i + 1) * crossing.size() / most);
    if (first != last) is_cut[static_cast<std::size_t>(std::min_element(first, last) - crossing.begin())] = 1;
  }
  return is_cut;
}

}  // namespace

std::optional<DownSets> find_down_sets(const StageProblem& stages, std::size_t most,
                                       const std::function<bool()>& should_stop) {
  return DownSetFinder(stages, most).run(should_stop);
}

DownSets down_sets_of_order(const StageProblem& stages, std::span<const std::uint32_t> order, std::size_t most_cuts) {
  DownSets sets;
  if (order.size() > most_cuts) sets.is_cut = cheap_cuts(transfers_under_way(stages, order), most_cuts);
  sets.begin.push_back(0);
  sets.before.push_back(0);
  sets.last.push_back(0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    sets.steps.push_back({order[i], i + 1});
    sets.begin.push_back(i + 1);
    sets.before.push_back(i);
    sets.last.push_back(order[i]);
  }
  sets.begin.push_back(static_cast<std::uint32_t>(order.size()));
  return sets;
}

}  // namespace berth
