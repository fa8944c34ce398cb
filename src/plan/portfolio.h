// SPDX-License-Identifier: Apache-2.0
// The portfolio of `auto`: which planners it starts from, for either objective, and what each is there for. The only
// list of them.
#pragma once

#include <string_view>
#include <vector>

#include "problem/objective.h"

namespace berth {

struct Member {
  std::string_view planner;  // its name in the table of planners (plan/planners.h)
  Objective objective = Objective::kStep;
  double end = 1.0;              // share of the budget at which it must be done
  bool stays = false;            // its plan is refined, and fused, however much better others are
  bool is_fallback = false;      // its plan is taken where the gain of a better one is too small to be believed
  bool without_overlap = false;  // only for machines that overlap nothing, but there in any case

  // Linear in the graph: runs to its end, however small the budget, so that there is a plan to start from.
  [[nodiscard]] bool is_quick() const { return end >= 1.0; }
};

// In the order in which they run: what costs least comes first, so that there is a plan at once.
std::vector<Member> members_for(Objective objective);

}  // namespace berth
