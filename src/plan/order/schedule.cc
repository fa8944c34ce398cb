// SPDX-License-Identifier: Apache-2.0
#include "plan/order/schedule.h"

#include <array>
#include <utility>

#include "plan/order/bottom_levels.h"
#include "plan/order/order_search.h"
#include "plan/search/best_plan.h"

namespace berth {
namespace {

void offer_random(Search& search, const Plan& plan, int count, BestPlan& best) {
  Rng rng(search.budget().seed);
  for (int i = 0; i < count && !(best.has_any() && search.should_stop()); ++i) {
    Plan drawn = plan;
    drawn.priority.resize(plan.device_of.size());
    for (double& priority : drawn.priority) priority = rng.uniform();
    best.offer(std::move(drawn));
  }
}

Plan searched(Search& search, Plan plan) {
  constexpr int kRandomStarts = 4;
  BestPlan best(search);
  best.offer(plan);
  for (const ScheduleMethod method : {ScheduleMethod::kCriticalPath, ScheduleMethod::kFifo}) {
    if (search.should_stop()) break;
    order_at_once(search.problem(), plan, method);
    best.offer(plan);
  }
  offer_random(search, plan, kRandomStarts, best);
  return search_order(search, best.take());
}

}  // namespace

std::span<const ScheduleInfo> schedule_methods() {
  static constexpr std::array kTable{
      ScheduleInfo{"keep", "as the planner or the plan has it", ScheduleMethod::kKeep},
      ScheduleInfo{"fifo", "first come, first served: no priorities", ScheduleMethod::kFifo},
      ScheduleInfo{"critical-path", "what has the longest way to the end first", ScheduleMethod::kCriticalPath},
      ScheduleInfo{"random", "random priorities, the best of 32", ScheduleMethod::kRandom},
      ScheduleInfo{"search", "local search on the simulator, from the best of the others", ScheduleMethod::kSearch},
  };
  return kTable;
}

void order_at_once(const Problem& problem, Plan& plan, ScheduleMethod method) {
  if (method == ScheduleMethod::kKeep) return;
  plan.priority.clear();
  if (method != ScheduleMethod::kFifo) plan.priority = bottom_levels(problem, plan);
}

Plan schedule(Search& search, Plan plan, ScheduleMethod method) {
  if (method == ScheduleMethod::kSearch) return searched(search, std::move(plan));
  BestPlan best(search);
  if (method == ScheduleMethod::kRandom) {
    offer_random(search, plan, kRandomSchedules, best);
    return best.take();
  }
  order_at_once(search.problem(), plan, method);
  best.offer(std::move(plan));
  return best.take();
}

}  // namespace berth
