// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/draft.h"

#include <algorithm>

#include "machine/device_set.h"

namespace berth {

void Draft::begin(const Score& score) {
  moved_.clear();
  reordered_.clear();
  load_.clear();
  for (const DeviceId device : problem_.machine().device_ids()) load_.push_back(score.devices[index(device)].busy);
}

void Draft::move(const Level& level, std::uint32_t group, DeviceId device) {
  if (device == kNoDevice || (level.allowed(group) & device_bit(device)) == 0) return;
  const DeviceId before = device_of(level, group);
  if (before == device) return;
  moved_.push_back({group, before});
  for (const OpId op : level.ops(group)) {
    plan_.device_of[index(op)] = device;
    load_[index(before)] -= problem_.duration(op, before);
    load_[index(device)] += problem_.duration(op, device);
  }
}

void Draft::set_priority(OpId op, double priority) {
  reordered_.push_back({op, plan_.priority[index(op)]});
  plan_.priority[index(op)] = priority;
}

void Draft::undo(const Level& level) {
  for (auto change = moved_.rbegin(); change != moved_.rend(); ++change) {
    for (const OpId op : level.ops(change->group)) plan_.device_of[index(op)] = change->before;
  }
  for (const Reordered& change : reordered_) plan_.priority[index(change.op)] = change.before;
}

bool Draft::has_moved(std::uint32_t group) const {
  return std::ranges::find(moved_, group, &Moved::group) != moved_.end();
}

void Draft::list_moves(const Level& level, std::vector<BatchMove>& moves) const {
  for (const Moved& change : moved_) {
    for (const OpId op : level.ops(change.group)) {
      moves.push_back({static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(plan_.device(op))});
    }
  }
}

}  // namespace berth
