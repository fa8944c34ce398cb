// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/hot_spots.h"

#include <bit>

namespace berth {
namespace {

constexpr std::size_t kMostOvertaken = 4;  // ops in a row on one device that one move can pass

}  // namespace

void HotSpots::clear() {
  groups_.clear();
  waits_.clear();
}

void HotSpots::find(const Level& level, const Plan& plan) {
  clear();
  const std::vector<CriticalStep> path = critical_path(problem_, plan, tracer_.run_with_timeline(plan));
  for (std::size_t i = 0; i < path.size(); ++i) {
    const CriticalStep& at = path[i];
    if (at.is_transfer) {
      add(level, at.op, at.device);
      if (i + 1 < path.size() && !path[i + 1].is_transfer) add(level, path[i + 1].op, plan.device(at.op));
    } else if (at.why == CriticalStep::Why::kDevice) {
      add(level, at.op, kNoDevice);
      if (i == 0 || path[i - 1].is_transfer) continue;
      add(level, path[i - 1].op, kNoDevice);
      if (!plan.priority.empty()) add_waits(path, i);
    }
  }
}

void HotSpots::add(const Level& level, OpId op, DeviceId towards) {
  const std::uint32_t group = level.group(op);
  if (std::popcount(level.allowed(group)) > 1) groups_.push_back({group, towards});
}

// Step i waited for its device: with it, the last few ops that ran there without a gap.
void HotSpots::add_waits(std::span<const CriticalStep> path, std::size_t i) {
  for (std::size_t ahead = i; ahead > 0 && i - ahead < kMostOvertaken; --ahead) {
    if (path[ahead].why != CriticalStep::Why::kDevice || path[ahead - 1].is_transfer) return;
    waits_.push_back({path[i].op, path[ahead - 1].op});
  }
}

}  // namespace berth
