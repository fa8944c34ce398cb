// SPDX-License-Identifier: Apache-2.0
// All planners, classical and learned, built or not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/planner.h"

namespace berth::app {

struct CatalogEntry {
  PlannerInfo info;
  bool learned = false;
  [[nodiscard]] bool built() const { return info.make != nullptr; }
};

std::vector<CatalogEntry> planner_catalog();  // in the order of the documentation

// A planner that can run; errors name the nearest one, or say that it is not in this build.
Result<PlannerInfo> find_planner(std::string_view name);

// "a,b,c", where a word may also be a group: "all", "classical", "learned", those that are in this build. Each once.
Result<std::vector<PlannerInfo>> find_planners(std::string_view list);

}  // namespace berth::app
