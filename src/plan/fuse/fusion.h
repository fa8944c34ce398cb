// SPDX-License-Identifier: Apache-2.0
// Fusion for a given placement: which neighbours on one device run as one op. Devices stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/order/schedule.h"
#include "plan/planner.h"

namespace berth {

enum class FusionMethod : std::uint8_t { kKeep, kNone, kGreedy, kXla, kRandom, kBest };

struct FusionInfo {
  std::string_view name, summary;
  FusionMethod method;
};
std::span<const FusionInfo> fusion_methods();  // the only list of them; in the order of the documentation

// Gives the plan, which passes verify(), the groups of a method and evaluates it. Plans are compared in the order that
// the schedule would give them at once (order_at_once), and kBest may take the critical path where the order is to be
// kept. What is random is the best of up to kRandomFusions, fewer if the search must stop, and one at least. What is
// best is never worse than the plan was, fused or not. The search's lower bound must be one for fused plans.
inline constexpr int kRandomFusions = 16;
Plan fuse(Search& search, Plan plan, FusionMethod method, ScheduleMethod order = ScheduleMethod::kKeep);

// What is decided after the devices, and how.
struct Stages {
  FusionMethod fusion = FusionMethod::kKeep;
  ScheduleMethod schedule = ScheduleMethod::kKeep;
  [[nodiscard]] bool any() const { return fusion != FusionMethod::kKeep || schedule != ScheduleMethod::kKeep; }
  // Whether plans may come of it that fuse more than the one it begins with.
  [[nodiscard]] bool may_fuse() const { return fusion != FusionMethod::kKeep && fusion != FusionMethod::kNone; }
};

}  // namespace berth
