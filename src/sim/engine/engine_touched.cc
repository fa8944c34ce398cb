// SPDX-License-Identifier: Apache-2.0
// Tensors that moved nodes read or make, and all that shares or copies their storage: what is held of them, and for how
// long, is not the base's.
#include <algorithm>
#include <bit>

#include "sim/engine/engine_base.h"

namespace berth {

// Only for runs that come that far: most are given up before. False if there is so much of it that runs are as fast.
bool Engine::find_touched() {
  if (knows_touched_) return can_skip_;
  knows_touched_ = true;
  touched_.clear();
  trees_.clear();
  if (++near_runs_ == 0) {
    std::fill(in_trees_.begin(), in_trees_.end(), 0);
    std::fill(touched_in_.begin(), touched_in_.end(), 0);
    near_runs_ = 1;
  }
  const auto touch = [&](std::uint32_t tensor) {
    if (touched_in_[tensor] == near_runs_) return;
    touched_in_[tensor] = near_runs_;
    touched_.push_back(tensor);
  };
  for (const std::uint32_t node : changed_) {
    if (!moved(*near_plan_, node)) continue;
    for (const std::uint32_t tensor : flat_.inputs_of(node)) touch(tensor);
    for (const std::uint32_t tensor : flat_.outputs_of(node)) touch(tensor);
  }
  std::size_t left = flat_.num_nodes() / 8 + 64;
  can_skip_ = std::all_of(touched_.begin(), touched_.end(),
                          [&](std::uint32_t tensor) { return add_storage_tree(tensor, left); });
  if (!can_skip_) return false;
  releases_.clear();
  for (const std::uint32_t tensor : trees_) collect_releases(tensor);
  std::sort(releases_.begin(), releases_.end(), [](const Release& a, const Release& b) {
    return a.column != b.column ? a.column < b.column : a.instant < b.instant;
  });
  return true;
}

// A tensor with storage of its own and all views of it, views of views included. False if they have more readers than
// are left to look at.
bool Engine::add_storage_tree(std::uint32_t tensor, std::size_t& left) {
  if (in_trees_[tensor] == near_runs_) return true;
  while (flat_.is_view(tensor)) tensor = flat_.looks_at(flat_.producer[tensor]);
  std::size_t next = trees_.size();
  const auto add = [&](std::uint32_t one) {
    in_trees_[one] = near_runs_;
    trees_.push_back(one);
  };
  add(tensor);
  for (; next < trees_.size(); ++next) {
    const std::uint32_t one = trees_[next];
    const auto consumers = flat_.consumers_of(one);
    if (consumers.size() >= left) return false;
    left -= consumers.size();
    for (const std::uint32_t consumer : consumers) {
      if (!is_view_of(consumer, one)) continue;
      for (const std::uint32_t view : flat_.outputs_of(consumer)) add(view);
    }
  }
  return true;
}

// When storages of base and plan are released, counted in instants of the base. The moment that a transfer leaves is
// known only where it happens, so the stretch of its request is not skipped.
void Engine::collect_releases(std::uint32_t tensor) {
  const std::uint32_t producer = flat_.producer[tensor];
  const Plan &base = base_->plan, &plan = *near_plan_;
  DeviceSet before = destinations(base, tensor), now = destinations(plan, tensor);
  if ((before | now) != 0) add_effect(base_->end_instant[producer], base_->end_instant[producer]);
  if (flat_.storage(producer) == FlatGraph::Storage::kOwn) {
    before |= device_bit(base.device_of[producer]);
    now |= device_bit(plan.device_of[producer]);
  }
  for (DeviceSet held = before | now; held != 0; held &= held - 1) {
    const auto device = static_cast<std::uint32_t>(std::countr_zero(held));
    const DeviceSet bit = held & -held;
    const std::uint32_t last_before = (before & bit) != 0 ? last_use(base, tensor, device) : 0;
    const std::uint32_t last_now = (now & bit) != 0 ? last_use(plan, tensor, device) : 0;
    if (last_before == last_now) continue;
    add_release(device, last_before, flat_.bytes[tensor]);
    add_release(device, last_now, -flat_.bytes[tensor]);
  }
}

bool Engine::is_view_of(std::uint32_t node, std::uint32_t tensor) const { return flat_.looks_at(node) == tensor; }

// When the last consumer of a copy of a tensor, or of a view made from that copy, ends in the base; kNone: never.
std::uint32_t Engine::last_use(const Plan& plan, std::uint32_t root, std::uint32_t device) {
  std::uint32_t last = 0;
  views_of_copy_.assign(1, root);
  while (!views_of_copy_.empty()) {
    const std::uint32_t tensor = views_of_copy_.back();
    views_of_copy_.pop_back();
    const bool at_home = plan.device_of[flat_.producer[tensor]] == DeviceId(device);
    if (at_home && flat_.is_kept(tensor)) return kNone;
    for (const std::uint32_t consumer : flat_.consumers_of(tensor)) {
      if (plan.device_of[consumer] != DeviceId(device)) continue;
      last = std::max(last, base_->end_instant[consumer]);
      if (!is_view_of(consumer, tensor)) continue;
      for (const std::uint32_t view : flat_.outputs_of(consumer)) views_of_copy_.push_back(view);
    }
  }
  return last;
}

void Engine::add_release(std::uint32_t device, std::uint32_t last, Bytes bytes) {
  if (last == 0 || last == kNone || bytes == 0) return;
  releases_.push_back({device, last, bytes});
  const int pool = problem_.machine().pool_of(DeviceId(device));
  if (pool >= 0)
    releases_.push_back({static_cast<std::uint32_t>(devices_.size()) + static_cast<std::uint32_t>(pool), last, bytes});
}

// What still uses each of their storages after an instant of the base, as the loop counts it.
void Engine::count_uses_of_touched(std::uint32_t instant, bool nothing_has_left) {
  const Plan& plan = *near_plan_;
  for (const std::uint32_t tensor : trees_) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (base_->end_instant[producer] > instant) continue;
    const auto home = static_cast<std::uint32_t>(plan.device_of[producer]);
    const std::uint32_t first_uses = flat_.first_uses(tensor);
    const DeviceSet sent_to = destinations(plan, tensor);
    const auto to_leave = nothing_has_left ? static_cast<std::uint32_t>(std::popcount(sent_to)) : 0;
    const std::uint32_t uses = (first_uses & ~FlatGraph::kIsView) + uses_after(instant, tensor, home) + to_leave;
    std::uint32_t* const uses_at_home = uses_on(home);
    if ((first_uses & FlatGraph::kIsView) == 0) {
      uses_at_home[tensor] = uses;
    } else {
      const std::uint32_t storage = storage_of(flat_.looks_at(producer), uses_at_home);
      uses_at_home[tensor] = storage | kIsShared;
      uses_at_home[storage] += uses;
    }
    for (DeviceSet rest = sent_to; rest != 0; rest &= rest - 1) {
      const auto device = static_cast<std::uint32_t>(std::countr_zero(rest));
      uses_on(device)[tensor] = uses_after(instant, tensor, device);
    }
  }
}

std::uint32_t Engine::uses_after(std::uint32_t instant, std::uint32_t tensor, std::uint32_t device) const {
  const auto consumers = flat_.consumers_of(tensor);
  return static_cast<std::uint32_t>(std::count_if(consumers.begin(), consumers.end(), [&](std::uint32_t consumer) {
    return device_of(consumer) == device && base_->end_instant[consumer] > instant;
  }));
}

}  // namespace berth
