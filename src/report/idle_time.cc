// SPDX-License-Identifier: Apache-2.0
#include "report/idle_time.h"

#include <algorithm>

#include "sim/path_tracer.h"

namespace berth::report {
namespace {

Picoseconds& share_of(IdleTime& idle, const CriticalStep& step, CriticalStep::Why next) {
  using Why = CriticalStep::Why;
  if (next == Why::kLink) return idle.links;
  if (next == Why::kDevice) return idle.devices;
  return step.is_transfer ? idle.transfers : idle.results;
}

// Splits a gap by what went on along the path to the op that ended it; what lies between steps is the latency of a
// signal.
void split_gap(Picoseconds begin, const std::vector<CriticalStep>& path, IdleTime& idle) {
  Picoseconds from = begin;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Picoseconds end = std::max(path[i].end, from), next = std::max(path[i + 1].start, end);
    share_of(idle, path[i], path[i + 1].why) += end - from;
    idle.transfers += next - end;
    from = next;
  }
  idle.results += path.back().start - from;
}

}  // namespace

std::vector<IdleTime> idle_time(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  const Machine& machine = problem.machine();
  std::vector<IdleTime> idle(machine.num_devices());
  std::vector<std::vector<Picoseconds>> free_from;  // by device and lane
  for (const Device& device : machine.devices()) free_from.emplace_back(static_cast<std::size_t>(device.lanes), 0);
  PathTracer tracer(problem, plan, timeline);
  for (const OpEvent& event : timeline.ops) {
    Picoseconds& from = free_from[index(event.device)][static_cast<std::size_t>(event.lane)];
    if (event.start > from) split_gap(from, tracer.path_to(event.op, from), idle[index(event.device)]);
    from = event.end;
  }
  for (const DeviceId device : machine.device_ids()) {
    for (const Picoseconds from : free_from[index(device)]) idle[index(device)].done += timeline.score.step_time - from;
  }
  return idle;
}

}  // namespace berth::report
