// SPDX-License-Identifier: Apache-2.0
// Rejoining the base: once a changed plan is in a state of the base, only at another time, the rest of its run is the
// base's, moved by the difference.
#include <algorithm>
#include <bit>
#include <limits>

#include "sim/engine/engine_base.h"

namespace berth {

void Engine::prepare_rejoin(const Plan& plan) {
  const BaseRun& base = *base_;
  near_plan_ = &plan;
  last_change_ = 0;
  for (const std::uint32_t node : changed_) last_change_ = std::max(last_change_, base.end_instant[node]);
  knows_touched_tensors_ = false;
  rejoin_after_ = 0;
  rejoin_patience_ = 1;
  if (!base.score.feasible || last_change_ >= base.started.size()) {
    rejoin_after_ = kNone;
  } else {
    rejoin_after_ = base.started[last_change_];
  }
}

// Only for plans that come that far: most are given up before.
void Engine::find_touched_tensors() {
  if (knows_touched_tensors_) return;
  knows_touched_tensors_ = true;
  touched_tensors_.clear();
  for (const std::uint32_t node : changed_) {
    for (const std::uint32_t tensor : flat_.inputs_of(node)) touched_tensors_.push_back(tensor);
    for (const std::uint32_t tensor : flat_.outputs_of(node)) touched_tensors_.push_back(tensor);
  }
  std::sort(touched_tensors_.begin(), touched_tensors_.end());
  touched_tensors_.erase(std::unique(touched_tensors_.begin(), touched_tensors_.end()), touched_tensors_.end());
}

// Called between instants, when the nodes started so far are those the base started first and nothing is under way but
// nodes. If the rest is the base's, fills the score and returns true.
bool Engine::rejoin() {
  const BaseRun& base = *base_;
  const std::uint32_t next_end = base.end_instant[queue_of_events_.first().item];
  const std::uint32_t instant = next_end - 1;
  const Picoseconds shift = queue_of_events_.first().time - base.time[next_end];
  if (instant >= last_change_ && base.started[instant] == started_ && matches_running(instant, shift) &&
      matches_ready() && fill_score_from(instant)) {
    score_.step_time = base.score.step_time + shift;
    return true;
  }
  rejoin_patience_ = std::min(2 * rejoin_patience_, 64U);  // a try may sort a long queue
  rejoin_after_ = std::max(rejoin_after_, started_ + rejoin_patience_);
  return false;
}

bool Engine::matches_running(std::uint32_t instant, Picoseconds shift) const {
  return base_->running[instant] == queue_of_events_.size() &&
         queue_of_events_.all_of([&](const Event& event) { return event.time == base_->end_of(event.item) + shift; });
}

// Both runs wait with the same ready nodes; what counts is that they will take them in the same order.
bool Engine::matches_ready() {
  const auto before_in_base = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t ready_a = base_->ready_instant[a], ready_b = base_->ready_instant[b];
    return ready_a != ready_b ? ready_a < ready_b : a < b;
  };
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (equal_priorities_) {
      for (std::uint32_t node = devices_[device].head; node != kNone && next_ready_[node] != kNone;
           node = next_ready_[node]) {
        if (!before_in_base(node, next_ready_[node])) return false;
      }
      continue;
    }
    ready_entries_.clear();
    ready_of_[device].append_to(ready_entries_);
    std::sort(ready_entries_.begin(), ready_entries_.end(), [](const auto& a, const auto& b) { return a.before(b); });
    for (std::size_t i = 1; i < ready_entries_.size(); ++i) {
      const ReadyEntry &a = ready_entries_[i - 1], &b = ready_entries_[i];
      if (a.urgency == b.urgency && !before_in_base(a.node, b.node)) return false;
    }
  }
  return true;
}

// False if the memory of the rest cannot be told from the base: an overflow, or a view of something touched that is
// still to be sent.
bool Engine::fill_score_from(std::uint32_t instant) {
  find_touched_tensors();
  releases_.clear();
  if (!collect_releases(base_->plan, instant, 1) || !collect_releases(*near_plan_, instant, -1)) return false;
  std::sort(releases_.begin(), releases_.end(), [](const Release& a, const Release& b) {
    return a.column != b.column ? a.column < b.column : a.instant < b.instant;
  });
  auto release = releases_.begin();
  for (std::size_t column = 0; column < base_->held.size(); ++column) {
    const auto first = release;
    while (release != releases_.end() && release->column == column) ++release;
    const Bytes peak = std::max(peak_in(column), peak_after(column, instant, {first, release}));
    if (peak > capacity_of(column)) {
      rejoin_after_ = kNone;
      return false;
    }
    (column < devices_.size() ? score_.devices[column].peak : score_.pool_peaks[column - devices_.size()]) = peak;
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) score_.devices[i].busy = devices_[i].total_work;
  fill_queue_use();
  score_.overflow.reset();
  score_.feasible = true;
  return true;
}

Bytes Engine::peak_in(std::size_t column) const {
  return column < devices_.size() ? devices_[column].peak : pools_[column - devices_.size()].peak;
}

Bytes Engine::capacity_of(std::size_t column) const {
  if (column >= devices_.size()) return problem_.pool_capacity(static_cast<int>(column - devices_.size()));
  const DeviceId id{static_cast<std::uint16_t>(column)};
  return problem_.machine().pool_of(id) >= 0 ? std::numeric_limits<Bytes>::max() : problem_.capacity(id);
}

// The base's bytes after an instant, moved by what the plan holds more than the base, which changes with every release
// that only one of them makes.
Bytes Engine::peak_after(std::size_t column, std::uint32_t instant, std::span<const Release> releases) const {
  Bytes more = held_in(column) - base_->held[column][instant];
  Bytes peak = 0;
  std::uint32_t from = instant + 1;
  for (const Release& release : releases) {
    peak = std::max(peak, more + base_->most_held(column, from, release.instant));
    from = release.instant;
    more += release.bytes;
  }
  return std::max(peak, more + base_->most_held(column, from, kNone));
}

// What storages of touched tensors, and of their views, a plan releases after an instant.
bool Engine::collect_releases(const Plan& plan, std::uint32_t instant, int sign) {
  roots_.clear();
  for (std::uint32_t tensor : touched_tensors_) {
    while (flat_.is_view(tensor)) {
      tensor = flat_.looks_at(flat_.producer[tensor]);
    }
    roots_.push_back(tensor);
  }
  std::sort(roots_.begin(), roots_.end());
  roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
  return std::all_of(roots_.begin(), roots_.end(), [&](std::uint32_t root) {
    const std::uint32_t producer = flat_.producer[root];
    if (flat_.storage(producer) == FlatGraph::Storage::kOwn) {
      const auto home = static_cast<std::uint32_t>(plan.device_of[producer]);
      add_release(home, last_use(plan, root, home), instant, sign * flat_.bytes[root]);
    }
    return collect_copies(plan, root, instant, sign);
  });
}

// Received copies of a tensor and of all its views.
bool Engine::collect_copies(const Plan& plan, std::uint32_t root, std::uint32_t instant, int sign) {
  views_.assign(1, root);
  while (!views_.empty()) {
    const std::uint32_t tensor = views_.back();
    views_.pop_back();
    DeviceSet sent_to = destinations(plan, tensor);
    if (sent_to != 0 && base_->end_instant[flat_.producer[tensor]] > instant) return false;
    for (; sent_to != 0; sent_to &= sent_to - 1) {
      const auto device = static_cast<std::uint32_t>(std::countr_zero(sent_to));
      add_release(device, last_use(plan, tensor, device), instant, sign * flat_.bytes[tensor]);
    }
    for (const std::uint32_t consumer : flat_.consumers_of(tensor)) {
      if (!is_view_of(consumer, tensor)) continue;
      for (const std::uint32_t view : flat_.outputs_of(consumer)) views_.push_back(view);
    }
  }
  return true;
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

void Engine::add_release(std::uint32_t device, std::uint32_t last, std::uint32_t instant, Bytes bytes) {
  if (last <= instant || last == kNone || bytes == 0) return;
  releases_.push_back({device, last, bytes});
  const int pool = problem_.machine().pool_of(DeviceId(device));
  if (pool >= 0)
    releases_.push_back({static_cast<std::uint32_t>(devices_.size()) + static_cast<std::uint32_t>(pool), last, bytes});
}

// All transfers of a plan count, whenever they happen: those of the base, but for the touched tensors.
void Engine::fill_queue_use() {
  score_.queues = base_->score.queues;
  for (const std::uint32_t tensor : touched_tensors_) {
    add_transfers(base_->plan, tensor, -1);
    add_transfers(*near_plan_, tensor, 1);
  }
}

void Engine::add_transfers(const Plan& plan, std::uint32_t tensor, int sign) {
  const std::size_t from = index(plan.device_of[flat_.producer[tensor]]);
  for (DeviceSet sent_to = destinations(plan, tensor); sent_to != 0; sent_to &= sent_to - 1) {
    const std::size_t to = static_cast<std::size_t>(std::countr_zero(sent_to));
    for (std::uint32_t at = first_hop_[from * devices_.size() + to];; ++at) {
      const Hop& hop = hops_[at];
      const Picoseconds time = hop_time(hop, flat_.bytes[tensor]);
      if (time > 0 && hop.queue >= 0) {
        QueueUse& use = score_.queues[static_cast<std::size_t>(hop.queue)];
        use.busy += sign * time;
        use.bytes += sign * flat_.bytes[tensor];
      }
      if (hop.last) break;
    }
  }
}

}  // namespace berth
