// SPDX-License-Identifier: Apache-2.0
// All planners, classical and learned, built or not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/learned.h"
#include "plan/planners.h"
#include "services/plan/chosen_planner.h"

namespace berth::app {

struct CatalogEntry {
  PlannerInfo info;
  bool learned = false;
  bool built = false;  // it can run, here or in the program for learned planners
};

std::vector<CatalogEntry> planner_catalog();  // in the order of the documentation

// A planner that can run; errors name the nearest one, or say that it is not in this build. Flags for learning are
// refused for others. A learned planner may replace this program by another (app/learned.h).
Result<ChosenPlanner> find_planner(std::string_view name, const LearnedFlags& flags = {});

// An error unless it is a learned planner of this build.
Status check_learned(std::string_view name);

// "a,b,c", where a word may also be a group: "all", "classical", "learned", those that are in this build. Each once.
// The flags are for the learned ones among them; refused if there is none.
Result<std::vector<ChosenPlanner>> find_planners(std::string_view list, const LearnedFlags& flags = {});

}  // namespace berth::app
