// SPDX-License-Identifier: Apache-2.0
#include "plan/auto.h"

#include <array>

#include "plan/expert.h"
#include "plan/round_robin.h"
#include "plan/single.h"

namespace berth {
namespace {

struct Member {
  std::string_view name;
  std::unique_ptr<Planner> (*make)();
};

// The likely best first, for budgets that end early.
constexpr std::array kMembers{
    Member{"expert", make_planner<ExpertPlanner>},
    Member{"single", make_planner<SinglePlanner>},
    Member{"round-robin", make_planner<RoundRobinPlanner>},
};

}  // namespace

Result<Plan> AutoPlanner::plan(Search& search) {
  std::optional<Error> first_error;
  std::string note;
  for (const Member& member : kMembers) {
    if (search.has_best() && search.should_stop()) break;
    const std::optional<Score> before = search.has_best() ? std::optional(search.best_score()) : std::nullopt;
    search.set_note("");
    if (const Result<Plan> plan = member.make()->plan(search); !plan) {
      if (!first_error) first_error = plan.error();
      continue;
    }
    if (before && !better(search.best_score(), *before)) continue;
    note = fmt::format("{} won{}{}", member.name, search.note().empty() ? "" : ": ", search.note());
  }
  if (!search.has_best()) return *first_error;
  search.set_note(note);
  return search.best_plan();
}

}  // namespace berth
