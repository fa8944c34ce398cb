// SPDX-License-Identifier: Apache-2.0
// What a plan changes of the base, and when the run can notice.
#include <algorithm>
#include <cstring>

#include "sim/engine/engine_base.h"

namespace berth {
namespace {

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b, std::size_t first, std::size_t count) {
  return std::memcmp(a.data() + first, b.data() + first, count * sizeof(T)) == 0;
}

}  // namespace

// Finds the ops that differ from the base. False if the plan is too far from it for what follows.
bool Engine::find_changes(const Plan& plan) {
  const Plan& base = base_->plan;
  const std::size_t nodes = flat_.num_nodes();
  changed_.clear();
  if (!plan.fusions.empty()) return false;
  if (!base_->equal_priorities && plan.priority.size() != nodes) return false;
  const bool both_empty = plan.priority.empty() && base.priority.empty();
  const bool both_full = plan.priority.size() == nodes && base.priority.size() == nodes;
  constexpr std::size_t kStretch = 128;  // most stretches are equal, which a comparison of bytes finds fast
  for (std::size_t first = 0; first < nodes; first += kStretch) {
    const std::size_t count = std::min(kStretch, nodes - first);
    const bool same_order = both_empty || (both_full && same_bytes(plan.priority, base.priority, first, count));
    if (same_order && same_bytes(plan.device_of, base.device_of, first, count)) continue;
    for (auto node = static_cast<std::uint32_t>(first); node < first + count; ++node) {
      const bool urged = !same_order && plan.priority_of(OpId{node}) != base.priority_of(OpId{node});
      if (!moved(plan, node) && !urged) continue;
      if (urged && base_->equal_priorities) return false;
      if ((duration_in(plan, node) == 0) != (duration_in(base, node) == 0)) return false;
      changed_.push_back(node);
    }
  }
  return changed_.size() <= nodes / 4;
}

DeviceSet Engine::destinations(const Plan& plan, std::uint32_t tensor) const {
  DeviceSet set = 0;
  for (const std::uint32_t consumer : flat_.consumers_of(tensor)) set |= device_bit(plan.device_of[consumer]);
  return set & ~device_bit(plan.device_of[flat_.producer[tensor]]);
}

bool Engine::moved(const Plan& plan, std::uint32_t node) const {
  return plan.device_of[node] != base_->plan.device_of[node];
}

bool Engine::same_latency(const Plan& plan, std::uint32_t from, std::uint32_t to) const {
  const Plan& base = base_->plan;
  return problem_.control_latency(base.device_of[from], base.device_of[to]) ==
         problem_.control_latency(plan.device_of[from], plan.device_of[to]);
}

// Which stretches of the base hold an instant that the plan's run may handle in another way: the end of what a moved
// node waits for, and all from the moment that a changed node is ready to its end. What follows from these shows in the
// state. Resident bytes do not count: they shift what a device holds all the time.
void Engine::find_effects(const Plan& plan) {
  near_plan_ = &plan;
  knows_touched_ = false;
  can_skip_ = base_->score.feasible;
  has_skipped_ = false;
  dirty_ = {};
  for (const std::uint32_t node : changed_) find_effects_of(plan, node);
}

void Engine::find_effects_of(const Plan& plan, std::uint32_t node) {
  const BaseRun& base = *base_;
  const bool is_at_start = base.end_instant[node] == 0;
  if (!moved(plan, node)) {  // another priority, which tells nothing where no time is taken
    if (duration_in(plan, node) > 0) add_effect(base.ready_instant[node], base.end_instant[node]);
    return;
  }
  if (is_at_start && moves_unnoticed(plan, node)) return;
  if (is_at_start || problem_.graph().resident_bytes(OpId{node}) > 0) add_effect(0, 0);
  add_effect(base.ready_instant[node], base.end_instant[node]);
  for (const std::uint32_t tensor : flat_.inputs_of(node)) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (!moved(plan, producer)) add_effect(base.end_instant[producer], base.end_instant[producer]);
  }
  for (const OpId before : problem_.graph().control_inputs(OpId{node})) {
    const auto from = static_cast<std::uint32_t>(before);
    if (!same_latency(plan, from, node)) add_effect(base.end_instant[from], base.end_instant[from]);
  }
}

void Engine::add_effect(std::uint32_t first_instant, std::uint32_t last_instant) {
  dirty_.add(base_->stretch[first_instant], base_->stretch[last_instant]);
}

// True for what is there from the start, has moved with all its neighbours and holds nothing but resident bytes.
bool Engine::moves_unnoticed(const Plan& plan, std::uint32_t node) const {
  const Plan& base = base_->plan;
  if (flat_.output_bytes(node) > 0) return false;
  for (const std::uint32_t tensor : flat_.inputs_of(node)) {
    const std::uint32_t producer = flat_.producer[tensor];
    if (plan.device_of[producer] != plan.device_of[node] || base.device_of[producer] != base.device_of[node]) {
      return false;
    }
  }
  for (const std::uint32_t tensor : flat_.outputs_of(node)) {
    if (destinations(plan, tensor) != 0 || destinations(base, tensor) != 0) return false;
  }
  const auto control_inputs = problem_.graph().control_inputs(OpId{node});
  const auto after = flat_.control_of(node);
  return std::all_of(after.begin(), after.end(), [&](std::uint32_t to) { return same_latency(plan, node, to); }) &&
         std::all_of(control_inputs.begin(), control_inputs.end(),
                     [&](OpId from) { return same_latency(plan, static_cast<std::uint32_t>(from), node); });
}

}  // namespace berth
