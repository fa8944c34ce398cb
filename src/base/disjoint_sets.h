// SPDX-License-Identifier: Apache-2.0
// Union-find; the root of a set is its lowest member, so results do not depend on the order of unions.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace berth {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a < b) {
      parent_[b] = a;
    } else {
      parent_[a] = b;
    }
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace berth
