// SPDX-License-Identifier: Apache-2.0
// IdleGaps: when a device lane or a link queue is idle, for schedulers that insert work into gaps between work that is
// placed already. Gaps lie in blocks that know their longest gap, so a search skips what is too short: finding and
// filling a gap costs about the square root of their number, not the number.
#pragma once

#include <vector>

#include "base/units.h"

namespace berth {

class IdleGaps {
 public:
  IdleGaps();

  // Earliest start, not before `ready`, of an idle stretch at least that long.
  [[nodiscard]] Picoseconds earliest(Picoseconds ready, Picoseconds duration) const;
  // Takes [start, start + duration), which must be idle.
  void occupy(Picoseconds start, Picoseconds duration);
  // End of all that is taken.
  [[nodiscard]] Picoseconds last_end() const { return blocks_.back().gaps.back().begin; }

 private:
  struct Gap {
    Picoseconds begin, end;
    [[nodiscard]] Picoseconds length() const { return end - begin; }
  };
  struct Block {
    std::vector<Gap> gaps;  // never empty
    Picoseconds longest = 0;
    void measure();
  };
  using Blocks = std::vector<Block>;

  void split_if_large(std::size_t block);

  Blocks blocks_;  // the last gap of the last block has no end
};

}  // namespace berth
