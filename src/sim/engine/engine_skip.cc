// SPDX-License-Identifier: Apache-2.0
// Skipping what a changed plan shares with the base: once its run is in a state of the base, only at another time, the
// rest of it is the base's, moved by the difference, up to the next moment at which the plan differs.
#include <algorithm>
#include <bit>
#include <limits>

#include "sim/engine/engine_base.h"

namespace berth {

// The next checkpoint with enough clean stretches behind it.
void Engine::find_next_skip(std::size_t from) {
  skip_at_ = kNone;
  for (next_skip_ = from; can_skip_ && next_skip_ < base_->num_checkpoints; ++next_skip_) {
    const std::uint32_t started = base_->checkpoints[next_skip_].started;
    if (started < started_ || !base_->is_worth_a_skip(next_skip_, dirty_.next(next_skip_))) continue;
    skip_at_ = started;
    return;
  }
}

// Called between instants, once as many nodes have started as at the next checkpoint that is worth it. True if the rest
// is the base's: then the score is filled.
bool Engine::skip() {
  if (started_ > skip_at_) find_next_skip(next_skip_ + 1);
  if (started_ != skip_at_ || rank_end_ != started_ || late_) return false;
  const Checkpoint& here = base_->checkpoints[next_skip_];
  const Picoseconds shift = queue_of_events_.first().time - here.events.first().time;
  return is_at(here, shift) && skip_from(here, shift);
}

// Whether the run is in the state of the base. The nodes started so far are those that the base started first.
bool Engine::is_at(const Checkpoint& here, Picoseconds shift) {
  if (under_way_ != here.transfers_under_way || queue_of_events_.size() != here.events.size()) return false;
  const bool same_ends = queue_of_events_.all_of([&](const Event& event) {
    return event.kind != Event::Kind::kOpEnd || event.time == base_->end_of(event.item) + shift;
  });
  if (!same_ends) return false;
  list_under_way(under_way_now_);
  return under_way_now_ == here.under_way && matches_ready();
}

// Both runs wait with the same ready nodes; what counts is that they will take them in the same order.
bool Engine::matches_ready() {
  if (!equal_priorities_) {
    return std::all_of(ready_of_.begin(), ready_of_.end(),
                       [&](const ReadyQueue& ready) { return matches_ready_by_priority(ready); });
  }
  return std::all_of(devices_.begin(), devices_.end(), [&](const DeviceState& device) {
    for (std::uint32_t node = device.head; node != kNone && next_ready_[node] != kNone; node = next_ready_[node]) {
      if (!is_before_in_base(node, next_ready_[node])) return false;
    }
    return true;
  });
}

bool Engine::matches_ready_by_priority(const ReadyQueue& ready) {
  ready_entries_.clear();
  ready.append_to(ready_entries_);
  std::sort(ready_entries_.begin(), ready_entries_.end(), [](const auto& a, const auto& b) { return a.before(b); });
  return std::adjacent_find(ready_entries_.begin(), ready_entries_.end(),
                            [&](const ReadyEntry& a, const ReadyEntry& b) {
                              return a.urgency == b.urgency && !is_before_in_base(a.node, b.node);
                            }) == ready_entries_.end();
}

bool Engine::is_before_in_base(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t ready_a = base_->ready_instant[a], ready_b = base_->ready_instant[b];
  return ready_a != ready_b ? ready_a < ready_b : a < b;
}

bool Engine::skip_from(const Checkpoint& here, Picoseconds shift) {
  if (!find_touched()) {
    find_next_skip(next_skip_);
    return false;
  }
  if (dirty_.has(next_skip_)) {  // as is known only now
    find_next_skip(next_skip_ + 1);
    return false;
  }
  // Until it has left, a transfer holds what it copies.
  const bool touched = std::any_of(under_way_now_.begin(), under_way_now_.end(), [&](const UnderWay& one) {
    return one.hop != kNone && in_trees_[one.what] == near_runs_;
  });
  if (touched) return false;
  const std::size_t next = dirty_.next(next_skip_);
  const bool to_end = next == Stretches::kMost;
  if (!skip_memory(here.instant, to_end ? kNone : base_->checkpoints[next].instant)) {
    can_skip_ = false;  // an overflow names its op and time
    skip_at_ = kNone;
    return false;
  }
  if (to_end) {
    fill_score_of_base(shift);
    return true;
  }
  skip_to(base_->checkpoints[next], shift);
  find_next_skip(next + 1);
  return false;
}

// The bytes held after the instants between, and their peak so far: those of the base, moved by what the plan holds
// more, which changes with every release that only one of them makes. False if that is more than there is.
bool Engine::skip_memory(std::uint32_t from, std::uint32_t to) {
  auto release = releases_.begin();
  for (std::size_t column = 0; column < skipped_.size(); ++column) {
    const std::vector<Bytes>& held = base_->held[column];
    Bytes more = held_in(column) - held[from], peak = peak_in(column);
    std::uint32_t next = from + 1;
    for (; release != releases_.end() && release->column == column; ++release) {
      if (release->instant <= from || release->instant > to) continue;
      peak = std::max(peak, more + base_->most_held(column, next, release->instant));
      next = release->instant;
      more += release->bytes;
    }
    peak = std::max(peak, more + base_->most_held(column, next, to == kNone ? kNone : to + 1));
    if (peak > capacity_of(column)) return false;
    skipped_[column] = {to == kNone ? 0 : held[to] + more, peak};
  }
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

void Engine::skip_to(const Checkpoint& there, Picoseconds shift) {
  restore(there);
  patch(*near_plan_);
  now_ += shift;
  queue_of_events_.change_each([&](Event& event) { event.time += shift; });
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    devices_[i].held = skipped_[i].held;
    devices_[i].peak = skipped_[i].peak;
  }
  for (std::size_t i = 0; i < pools_.size(); ++i) pools_[i].peak = skipped_[devices_.size() + i].peak;
  count_uses_of_touched(there.instant, false);
  late_ = is_late();
  has_skipped_ = true;
}

void Engine::fill_score_of_base(Picoseconds shift) {
  score_.step_time = base_->score.step_time + shift;
  for (std::size_t i = 0; i < devices_.size(); ++i) score_.devices[i] = {devices_[i].total_work, skipped_[i].peak};
  for (std::size_t i = 0; i < pools_.size(); ++i) score_.pool_peaks[i] = skipped_[devices_.size() + i].peak;
  fill_queue_use();
  score_.overflow.reset();
  score_.feasible = true;
}

// All transfers of a plan count, whenever they happen: those of the base, but for the touched tensors.
void Engine::fill_queue_use() {
  score_.queues = base_->score.queues;
  for (const std::uint32_t tensor : touched_) {
    add_transfers(base_->plan, tensor, -1);
    add_transfers(*near_plan_, tensor, 1);
  }
}

void Engine::add_transfers(const Plan& plan, std::uint32_t tensor, int sign) {
  const std::size_t from = index(plan.device_of[flat_.producer[tensor]]);
  for (DeviceSet sent_to = destinations(plan, tensor); sent_to != 0; sent_to &= sent_to - 1) {
    const auto to = static_cast<std::size_t>(std::countr_zero(sent_to));
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
