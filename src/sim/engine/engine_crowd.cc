// SPDX-License-Identifier: Apache-2.0
// The beginning of a plan near the base. Instant 0 has a crowd: all parameters, constants and inputs, with their views.
// Where moves leave the crowd in place or take it along, what changes are the transfers asked for and who waits for
// them; so the base's first half of that instant is corrected in place of being run again.
#include <algorithm>
#include <bit>

#include "sim/engine/engine_base.h"

namespace berth {

// False, with the state spoilt, if the plan's instant 0 differs in more than that.
bool Engine::begin_like_base() {
  const Plan& plan = *near_plan_;
  const auto keeps = [&](std::uint32_t node) { return keeps_crowd(plan, node); };
  if (!can_skip_ || !std::all_of(changed_.begin(), changed_.end(), keeps) || !find_touched()) return false;
  restore(base_->crowd);
  hold_crowd(base_->plan, -1);
  patch(plan);
  count_uses_of_touched(0, true);
  hold_crowd(plan, 1);
  requests_ = base_->crowd_requests;
  if (!redirect_crowd()) {
    num_arrived_ = num_ready_ = 0;
    requests_.clear();
    return false;
  }
  settle<Mode::kNear>();
  pick<Mode::kNear>();
  grown_devices_ = ~DeviceSet{0} >> (kMaxDevices - devices_.size());
  return fits();
}

// An overflow names its op, and who allocates last in this instant is not known.
bool Engine::fits() const {
  for (std::size_t column = 0; column < devices_.size() + pools_.size(); ++column) {
    if (held_in(column) > capacity_of(column)) return false;
  }
  return true;
}

// Whether all that is done at once in the base is so in the plan, as far as that depends on a changed node.
bool Engine::keeps_crowd(const Plan& plan, std::uint32_t node) const {
  if (!moved(plan, node)) return true;
  const BaseRun& base = *base_;
  const auto is_apart = [&](std::uint32_t other) {
    return base.end_instant[other] == 0 && plan.device_of[other] != plan.device_of[node];
  };
  for (const OpId before : problem_.graph().control_inputs(OpId{node})) {
    const auto from = static_cast<std::uint32_t>(before);
    if (base.end_instant[from] == 0 && !same_latency(plan, from, node)) return false;
  }
  if (base.end_instant[node] > 0) return true;
  for (const std::uint32_t tensor : flat_.inputs_of(node)) {
    if (is_apart(flat_.producer[tensor])) return false;
  }
  for (const std::uint32_t tensor : flat_.outputs_of(node)) {
    const auto consumers = flat_.consumers_of(tensor);
    if (std::any_of(consumers.begin(), consumers.end(), is_apart)) return false;
  }
  const auto after = flat_.control_of(node);
  return std::all_of(after.begin(), after.end(), [&](std::uint32_t to) { return same_latency(plan, node, to); });
}

// What of the crowd's own storage is not free again at once: of tensors that moved nodes read or make.
void Engine::hold_crowd(const Plan& plan, int sign) {
  for (const std::uint32_t tensor : trees_) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (base_->end_instant[producer] > 0 || flat_.storage(producer) != FlatGraph::Storage::kOwn) continue;
    const auto home = static_cast<std::uint32_t>(plan.device_of[producer]);
    if (uses_on(home)[tensor] > 0) devices_[home].held += sign * flat_.bytes[tensor];
  }
}

// Who waits longer than in the base, then who no longer does; then what is sent elsewhere.
bool Engine::redirect_crowd() {
  const auto of_crowd = [&](std::uint32_t tensor) { return base_->end_instant[flat_.producer[tensor]] == 0; };
  const bool takes_time = std::all_of(trees_.begin(), trees_.end(),
                                      [&](std::uint32_t tensor) { return !of_crowd(tensor) || leaves_later(tensor); });
  if (!takes_time) return false;
  for (const std::uint32_t tensor : touched_) {
    if (of_crowd(tensor)) tell_of_crowd(tensor, false);
  }
  num_ready_ = 0;
  for (const std::uint32_t node : base_->crowd_ready) {
    if (words_[node] < kOneWait) ready_[num_ready_++] = node;
  }
  for (const std::uint32_t tensor : touched_) {
    if (of_crowd(tensor)) tell_of_crowd(tensor, true);
  }
  return std::all_of(touched_.begin(), touched_.end(),
                     [&](std::uint32_t tensor) { return !of_crowd(tensor) || send_elsewhere(tensor); });
}

// Whether no transfer of the base has left its first link at once.
bool Engine::leaves_later(std::uint32_t tensor) const {
  const std::size_t from = index(base_->plan.device_of[flat_.producer[tensor]]);
  for (DeviceSet to = destinations(base_->plan, tensor); to != 0; to &= to - 1) {
    const std::size_t hop = first_hop_[from * devices_.size() + static_cast<std::size_t>(std::countr_zero(to))];
    if (hop_time(hops_[hop], flat_.bytes[tensor]) == 0) return false;
  }
  return true;
}

// Readers that are beside the tensor in one of base and plan alone.
void Engine::tell_of_crowd(std::uint32_t tensor, bool arrives) {
  const std::uint32_t producer = flat_.producer[tensor];
  const Plan &base = base_->plan, &plan = *near_plan_;
  for (const std::uint32_t reader : flat_.consumers_of(tensor)) {
    const bool was_there = base.device_of[reader] == base.device_of[producer];
    const bool is_there = plan.device_of[reader] == plan.device_of[producer];
    if (was_there == is_there || is_there != arrives) continue;
    if (arrives) {
      arrive_at_node(reader);
    } else {
      words_[reader] += kOneWait;
    }
  }
}

// False if a transfer is no longer among the requests.
bool Engine::send_elsewhere(std::uint32_t tensor) {
  const std::uint32_t producer = flat_.producer[tensor];
  const bool from_elsewhere = moved(*near_plan_, producer);
  const DeviceSet before = destinations(base_->plan, tensor), now = destinations(*near_plan_, tensor);
  for (DeviceSet to = from_elsewhere ? before : before & ~now; to != 0; to &= to - 1) {
    if (!withdraw(tensor, static_cast<std::uint32_t>(std::countr_zero(to)))) return false;
  }
  const auto home = static_cast<std::uint32_t>(near_plan_->device_of[producer]);
  for (DeviceSet to = from_elsewhere ? now : now & ~before; to != 0; to &= to - 1) {
    request<Mode::kNear>(tensor, home, static_cast<std::uint32_t>(std::countr_zero(to)));
  }
  return true;
}

bool Engine::withdraw(std::uint32_t tensor, std::uint32_t to) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const Request& one) { return one.order == order_of(tensor, to); });
  if (found == requests_.end()) return false;
  transfers_[found->transfer].next = unused_transfer_;
  unused_transfer_ = found->transfer;
  --under_way_;
  *found = requests_.back();
  requests_.pop_back();
  return true;
}

}  // namespace berth
