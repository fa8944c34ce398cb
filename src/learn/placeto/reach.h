// SPDX-License-Identifier: Apache-2.0
// Reach: who comes before and after whom in a graph without cycles, as rows of bits: count^2 / 8 bytes, and made in
// edges x count / 64 steps, so that thousands of groups are no trouble.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth::learn {

class Reach {
 public:
  struct Edge {
    std::uint32_t from, to;  // from < to
  };
  Reach(std::size_t count, std::span<const Edge> edges);

  [[nodiscard]] std::size_t count() const { return count_; }
  // Whether a path of at least one edge leads there.
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const {
    return (rows_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
  }

  enum class Kin : std::uint8_t { kSelf, kAncestor, kDescendant, kPeer };  // peer: no path either way
  // What every node is to one of them.
  [[nodiscard]] std::vector<Kin> kin_of(std::size_t node) const;

 private:
  std::size_t count_, words_;
  std::vector<std::uint64_t> rows_;  // of every node: what it reaches
};

}  // namespace berth::learn
