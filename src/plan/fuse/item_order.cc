// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/item_order.h"

namespace berth {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 31U;  // times 2^32 items are still 64 bits

}  // namespace

ItemOrder::ItemOrder(std::span<const Item> order)
    : head_(static_cast<Item>(order.size())),
      next_(order.size() + 1),
      previous_(order.size() + 1),
      labels_(order.size() + 1) {
  Item last = head_;
  for (const Item item : order) {
    next_[last] = item;
    previous_[item] = last;
    last = item;
  }
  next_[last] = head_;
  previous_[head_] = last;
  label_anew();
}

void ItemOrder::label_anew() {
  std::uint64_t label = 0;
  for (Item item = next_[head_]; item != head_; item = next_[item]) labels_[item] = label += kGap;
  labels_[head_] = 0;
}

void ItemOrder::remove(Item item) {
  next_[previous_[item]] = next_[item];
  previous_[next_[item]] = previous_[item];
}

void ItemOrder::move_behind(Item place, std::span<const Item> items) {
  for (const Item item : items) remove(item);
  link_behind(place, items);
}

void ItemOrder::move_before(Item place, std::span<const Item> items) {
  for (const Item item : items) remove(item);
  link_behind(previous_[place], items);
}

void ItemOrder::link_behind(Item place, std::span<const Item> items) {
  const Item end = next_[place];
  Item last = place;
  for (const Item item : items) {
    next_[last] = item;
    previous_[item] = last;
    last = item;
  }
  next_[last] = end;
  previous_[end] = last;
  const std::uint64_t low = labels_[place], high = end == head_ ? low + kGap : labels_[end];
  const std::uint64_t step = (high - low) / (items.size() + 1);
  if (step == 0) return label_anew();
  std::uint64_t label = low;
  for (const Item item : items) labels_[item] = label += step;
}

}  // namespace berth
