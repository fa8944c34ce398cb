// SPDX-License-Identifier: Apache-2.0
#include "support/compare_timelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace berth {
namespace {

using Difference = std::optional<std::string>;

Difference compare_scores(const Score& score, const Score& reference) {
  if (score.step_time != reference.step_time) {
    return fmt::format("step time {} instead of {}", score.step_time, reference.step_time);
  }
  if (score.devices.size() != reference.devices.size()) return "wrong number of devices";
  for (std::size_t i = 0; i < score.devices.size(); ++i) {
    const DeviceUse &ours = score.devices[i], &theirs = reference.devices[i];
    if (ours == theirs) continue;
    return fmt::format("device {}: busy {} peak {} instead of {} {}", i, ours.busy, ours.peak, theirs.busy,
                       theirs.peak);
  }
  if (score.pool_peaks != reference.pool_peaks) return "peaks of the pools differ";
  if (score.queues.size() != reference.queues.size()) return "wrong number of queues";
  for (std::size_t i = 0; i < score.queues.size(); ++i) {
    const QueueUse &ours = score.queues[i], &theirs = reference.queues[i];
    if (ours == theirs) continue;
    return fmt::format("queue {}: busy {} bytes {} instead of {} {}", i, ours.busy, ours.bytes, theirs.busy,
                       theirs.bytes);
  }
  if (score.feasible != reference.feasible) return fmt::format("feasible is {}", score.feasible);
  return std::nullopt;
}

// The overflow must be there iff the plan is infeasible, be the largest, and be that of the device or pool it names.
Difference compare_overflows(const Problem& problem, const Score& score, const Score& reference) {
  if (score.overflow.has_value() != reference.overflow.has_value()) return "overflow present or not";
  if (!score.overflow) return std::nullopt;
  const Overflow& overflow = *score.overflow;
  if (overflow.over != reference.overflow->over) {
    return fmt::format("overflow of {} instead of {} bytes", overflow.over, reference.overflow->over);
  }
  if (index(overflow.device) >= score.devices.size()) return "overflow on no device";
  if (overflow.pool != problem.machine().pool_of(overflow.device)) return "overflow in another pool than its device's";
  const Bytes peak = overflow.pool >= 0 ? score.pool_peaks[static_cast<std::size_t>(overflow.pool)]
                                        : score.devices[index(overflow.device)].peak;
  if (peak - problem.capacity(overflow.device) != overflow.over) return "overflow of another device than it names";
  if (overflow.time < 0 || overflow.time > score.step_time) return "overflow outside the step";
  return std::nullopt;
}

Difference compare_times(const std::string& what, const std::vector<Picoseconds>& ours,
                         const std::vector<Picoseconds>& theirs) {
  if (ours.size() != theirs.size()) return fmt::format("{} {} times instead of {}", ours.size(), what, theirs.size());
  for (std::size_t op = 0; op < ours.size(); ++op) {
    if (ours[op] != theirs[op]) return fmt::format("op{}: {} at {} instead of {}", op, what, ours[op], theirs[op]);
  }
  return std::nullopt;
}

Difference compare_op_events(const Timeline& timeline, const Timeline& reference) {
  for (std::size_t i = 0; i < std::min(timeline.ops.size(), reference.ops.size()); ++i) {
    const OpEvent &ours = timeline.ops[i], &theirs = reference.ops[i];
    if (ours.op == theirs.op && ours.device == theirs.device && ours.start == theirs.start && ours.end == theirs.end) {
      continue;
    }
    return fmt::format("op event {}: op{}@{} {}-{} instead of op{}@{} {}-{}", i, index(ours.op), index(ours.device),
                       ours.start, ours.end, index(theirs.op), index(theirs.device), theirs.start, theirs.end);
  }
  if (timeline.ops.size() != reference.ops.size()) return "wrong number of op events";
  return std::nullopt;
}

Difference compare_transfers(const Timeline& timeline, const Timeline& reference) {
  const auto text = [](const TransferEvent& event) {
    return fmt::format("tensor {} {}>{} on channel {} {}-{} {}B", index(event.tensor), index(event.from),
                       index(event.to), event.channel, event.start, event.end, event.bytes);
  };
  for (std::size_t i = 0; i < std::min(timeline.transfers.size(), reference.transfers.size()); ++i) {
    const TransferEvent &ours = timeline.transfers[i], &theirs = reference.transfers[i];
    if (!(ours == theirs)) return fmt::format("transfer {}: {} instead of {}", i, text(ours), text(theirs));
  }
  if (timeline.transfers.size() != reference.transfers.size()) return "wrong number of transfers";
  return std::nullopt;
}

// Lanes may be numbered in any way, as long as no lane runs two ops at once.
Difference check_lanes(const Problem& problem, const Timeline& timeline) {
  std::map<std::pair<DeviceId, int>, Picoseconds> busy_until;
  for (const OpEvent& event : timeline.ops) {  // by start
    if (event.lane < 0 || event.lane >= problem.machine().device(event.device).lanes) {
      return fmt::format("op{} is on lane {}", index(event.op), event.lane);
    }
    Picoseconds& until = busy_until[{event.device, event.lane}];
    if (event.start < until) return fmt::format("op{} starts on a busy lane", index(event.op));
    until = event.end;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference(const Problem& problem, const Timeline& timeline, const Timeline& reference) {
  if (auto found = compare_op_events(timeline, reference)) return found;
  if (auto found = compare_transfers(timeline, reference)) return found;
  if (auto found = compare_times("ready", timeline.op_ready, reference.op_ready)) return found;
  if (auto found = compare_times("end", timeline.op_end, reference.op_end)) return found;
  if (auto found = compare_scores(timeline.score, reference.score)) return found;
  if (auto found = compare_overflows(problem, timeline.score, reference.score)) return found;
  return check_lanes(problem, timeline);
}

}  // namespace berth
