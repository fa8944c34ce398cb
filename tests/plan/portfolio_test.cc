// SPDX-License-Identifier: Apache-2.0
#include "plan/portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plan/planners.h"

namespace berth {
namespace {

std::vector<std::string_view> member_names(Objective objective) {
  std::vector<std::string_view> member_names;
  for (const Member& member : members_for(objective)) member_names.push_back(member.planner);
  return member_names;
}

TEST(Portfolio, HasMembersForBothObjectives) {
  EXPECT_EQ(member_names(Objective::kStep),
            (std::vector<std::string_view>{"mincut-exact", "single", "expert", "heft", "m-etf", "m-topo", "metis",
                                           "mincut", "dp"}));
  EXPECT_EQ(member_names(Objective::kPipeline), (std::vector<std::string_view>{"single", "expert", "metis", "dp"}));
}

TEST(Portfolio, NamesPlannersOfTheTable) {
  for (const Objective objective : {Objective::kStep, Objective::kPipeline}) {
    const std::vector<std::string_view> all = member_names(objective);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size()) << "each once";
    for (const std::string_view name : all) {
      const auto row = std::ranges::find(classical_planners(), name, &PlannerInfo::name);
      ASSERT_NE(row, classical_planners().end()) << name;
      EXPECT_FALSE(row->is_portfolio) << name << " would begin with its own members";
    }
  }
}

TEST(Portfolio, IsThatOfAuto) {
  for (const PlannerInfo& planner : classical_planners()) {
    EXPECT_EQ(planner.is_portfolio, planner.name == "auto") << planner.name;
  }
}

// Whatever else is left out of a build: there is a plan to begin with, and one to fall back on.
TEST(Portfolio, BeginsWithAQuickPlannerThatEveryBuildHas) {
  for (const Objective objective : {Objective::kStep, Objective::kPipeline}) {
    std::vector<Member> members = members_for(objective);
    std::erase_if(members, &Member::without_overlap);
    EXPECT_TRUE(members.front().is_quick());
    EXPECT_NE(find_classical_planner(members.front().planner), nullptr);
    EXPECT_TRUE(std::ranges::is_partitioned(members, &Member::is_quick)) << "slow ones come last";
  }
  EXPECT_EQ(std::ranges::count_if(members_for(Objective::kStep), &Member::is_fallback), 1);
}

// Who fuses what stays asks for no more than its name.
TEST(Portfolio, WhatStaysIsInEveryBuild) {
  int staying = 0;
  for (const Member& member : members_for(Objective::kStep)) {
    if (!member.stays) continue;
    ++staying;
    EXPECT_NE(find_classical_planner(member.planner), nullptr) << member.planner;
  }
  EXPECT_EQ(staying, 2);
}

}  // namespace
}  // namespace berth
