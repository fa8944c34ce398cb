// SPDX-License-Identifier: Apache-2.0
// Lifetimes: peaks of memory from explicit lifetimes of storages (docs/simulator.md, rule 5). Half-open; an empty one
// takes nothing; frees of an instant come before its allocations.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

class Lifetimes {
 public:
  explicit Lifetimes(const Problem& problem) : problem_(problem) {}

  void clear();
  // Held on the device all the time.
  void hold_always(std::uint8_t device, Bytes bytes, std::uint32_t op);
  // A storage that lives from `start`; returns its number.
  std::uint32_t add(std::uint8_t device, Bytes bytes, std::uint32_t op, Picoseconds start, Picoseconds end);
  void prolong(std::uint32_t storage, Picoseconds end);
  // Fills peaks, pool peaks, feasibility and overflow.
  void judge(Score& score);

 private:
  struct Storage {
    Picoseconds start, end;
    Bytes bytes;
    std::uint32_t op;
    std::uint8_t device;
  };
  struct Change {
    Picoseconds time;
    Bytes bytes;
    std::uint32_t op;
    std::uint8_t device;
  };
  struct Use {  // of a device or pool
    Bytes held = 0, peak = 0;
    Picoseconds time = 0;               // of the peak
    std::uint32_t last_op = 0, op = 0;  // allocated last so far, and at the peak
    std::uint8_t last_device = 0, device = 0;
  };

  void note_peaks(Picoseconds time);
  void apply(const Change& change);

  const Problem& problem_;
  std::vector<Storage> storages_;
  std::vector<Change> changes_;
  std::vector<Use> uses_;  // devices, then pools
};

}  // namespace berth
