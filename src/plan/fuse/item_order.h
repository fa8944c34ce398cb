// SPDX-License-Identifier: Apache-2.0
// ItemOrder: a total order of items 0, 1, ... n - 1 in which items can be moved and compared in constant time. A list
// whose items carry rising labels with gaps; where a gap is used up, all labels are given anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth {

class ItemOrder {
 public:
  using Item = std::uint32_t;
  explicit ItemOrder(std::span<const Item> order);  // all items, each once

  [[nodiscard]] std::uint64_t label(Item item) const { return labels_[item]; }  // rises along the order
  // Puts the items right behind or right before `place`, which is none of them, in the order they are given.
  void move_behind(Item place, std::span<const Item> items);
  void move_before(Item place, std::span<const Item> items);
  void remove(Item item);  // for good

 private:
  void link_behind(Item place, std::span<const Item> items);
  void label_anew();

  Item head_;  // one past the items: stands before the first and behind the last
  std::vector<Item> next_, previous_;
  std::vector<std::uint64_t> labels_;
};

}  // namespace berth
