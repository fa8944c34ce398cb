// SPDX-License-Identifier: Apache-2.0
#include "plan/construct/idle_gaps.h"

#include <algorithm>
#include <limits>

namespace berth {
namespace {

constexpr std::size_t kLargestBlock = 128;
constexpr Picoseconds kForever = std::numeric_limits<Picoseconds>::max();

}  // namespace

void IdleGaps::Block::measure() {
  longest = 0;
  for (const Gap& gap : gaps) longest = std::max(longest, gap.length());
}

IdleGaps::IdleGaps() { blocks_.push_back({{{0, kForever}}, kForever}); }

Picoseconds IdleGaps::earliest(Picoseconds ready, Picoseconds duration) const {
  auto block = std::ranges::partition_point(blocks_, [&](const Block& b) { return b.gaps.back().end <= ready; });
  for (;; ++block) {  // the endless gap fits at the latest
    if (block->longest < duration) continue;
    auto gap = std::ranges::partition_point(block->gaps, [&](const Gap& g) { return g.end <= ready; });
    for (; gap != block->gaps.end(); ++gap) {
      const Picoseconds start = std::max(gap->begin, ready);
      if (gap->end - start >= duration) return start;
    }
  }
}

void IdleGaps::occupy(Picoseconds start, Picoseconds duration) {
  if (duration == 0) return;
  const auto block = std::ranges::partition_point(blocks_, [&](const Block& b) { return b.gaps.back().end <= start; });
  const auto gap = std::ranges::partition_point(block->gaps, [&](const Gap& g) { return g.end <= start; });
  const Gap after{start + duration, gap->end};
  gap->end = start;
  if (gap->length() == 0 && after.length() > 0) {
    *gap = after;
  } else if (gap->length() == 0) {
    block->gaps.erase(gap);
  } else if (after.length() > 0) {
    block->gaps.insert(gap + 1, after);
  }
  if (block->gaps.empty()) {
    blocks_.erase(block);
    return;
  }
  block->measure();
  split_if_large(static_cast<std::size_t>(block - blocks_.begin()));
}

void IdleGaps::split_if_large(std::size_t block) {
  if (blocks_[block].gaps.size() <= kLargestBlock) return;
  std::vector<Gap>& gaps = blocks_[block].gaps;
  Block later;
  later.gaps.assign(gaps.begin() + kLargestBlock / 2, gaps.end());
  gaps.resize(kLargestBlock / 2);
  blocks_[block].measure();
  later.measure();
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(later));
}

}  // namespace berth
