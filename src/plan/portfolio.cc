// SPDX-License-Identifier: Apache-2.0
#include "plan/portfolio.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace berth {
namespace {

constexpr double kStartsEnd = 0.15;  // of the budget: the rest is for refinement

constexpr std::array kPortfolio{
    // The optimum of two devices, with proof.
    Member{.planner = "mincut-exact", .end = kStartsEnd, .without_overlap = true},
    // A plan at once, from which large groups go wherever they like.
    Member{.planner = "single", .stays = true, .is_fallback = true},
    // Good in large things, which refinement finds hardest.
    Member{.planner = "expert", .stays = true},
    // Branches side by side, ...
    Member{.planner = "heft"},
    // ... within memory, ...
    Member{.planner = "m-etf"},
    // ... or at least what fits.
    Member{.planner = "m-topo"},
    // Few bytes between devices that have equal work; the second knows how far they are apart.
    Member{.planner = "metis", .end = kStartsEnd},
    Member{.planner = "mincut", .end = kStartsEnd},
    // Contiguous stages.
    Member{.planner = "dp", .end = kStartsEnd},

    // A plan at once.
    Member{.planner = "single", .objective = Objective::kPipeline},
    // Contiguous blocks of layers.
    Member{.planner = "expert", .objective = Objective::kPipeline},
    // Even loads.
    Member{.planner = "metis", .objective = Objective::kPipeline, .end = 0.3},
    // The best of all contiguous plans.
    Member{.planner = "dp", .objective = Objective::kPipeline, .end = 0.6},
};

}  // namespace

std::vector<Member> members_for(Objective objective) {
  std::vector<Member> members;
  std::ranges::copy_if(kPortfolio, std::back_inserter(members),
                       [&](const Member& member) { return member.objective == objective; });
  return members;
}

}  // namespace berth
