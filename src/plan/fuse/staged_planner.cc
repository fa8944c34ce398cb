// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/staged_planner.h"

#include <utility>

#include "plan/search/best_plan.h"

namespace berth {
namespace {

constexpr double kFusedEnd = 0.5;  // share of the budget, where the order is to be searched with the rest

}  // namespace

Result<Plan> StagedPlanner::plan(Search& search) {
  if (search.problem().objective() == Objective::kPipeline) {
    return bad_input("the objective 'pipeline' adds up loads, which neither fusion nor order changes");
  }
  Plan plan = placement_;
  if (stages_.fusion != FusionMethod::kKeep) {
    const Search::Part part(search, stages_.schedule == ScheduleMethod::kSearch ? kFusedEnd : 1.0);
    plan = stages_.fusion == FusionMethod::kBest ? fuse_best(search)
                                                 : fuse(search, std::move(plan), stages_.fusion, stages_.schedule);
  }
  return schedule(search, std::move(plan), stages_.schedule);
}

Plan StagedPlanner::fuse_best(Search& search) const {
  std::string note;
  BestPlan best(search);
  best.offer(fuse(search, placement_, FusionMethod::kBest, stages_.schedule));
  for (const Rival& rival : rivals_) {
    if (search.should_stop()) break;
    Result<Plan> other = rival.make()->plan(search);
    if (!other || other->device_of == placement_.device_of || search.should_stop()) continue;
    if (best.offer(fuse(search, *std::move(other), FusionMethod::kXla, stages_.schedule))) {
      note = fmt::format("fused, the placement of {} is better", rival.name);
    }
  }
  search.set_note(std::move(note));
  return best.take();
}

}  // namespace berth
