// SPDX-License-Identifier: Apache-2.0
// Order for a given placement: which of the ready ops a device takes first. Devices and fusion groups stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/planner.h"

namespace berth {

enum class ScheduleMethod : std::uint8_t { kKeep, kFifo, kCriticalPath, kRandom, kSearch };

struct ScheduleInfo {
  std::string_view name, summary;
  ScheduleMethod method;
};
std::span<const ScheduleInfo> schedule_methods();  // the only list of them; in the order of the documentation

// Gives the plan, which passes verify(), the priorities of a method and evaluates it. What is random is the best of up
// to kRandomSchedules, fewer if the search must stop, and one at least. What is searched is never worse than the plan
// was. Nothing but kSearch takes longer than a few evaluations.
inline constexpr int kRandomSchedules = 32;
Plan schedule(Search& search, Plan plan, ScheduleMethod method);

// The same without an evaluation, as far as a method needs none: kKeep, kFifo; for all others the critical path.
void order_at_once(const Problem& problem, Plan& plan, ScheduleMethod method);

}  // namespace berth
