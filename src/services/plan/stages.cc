// SPDX-License-Identifier: Apache-2.0
#include "services/plan/stages.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "plan/fuse/staged_planner.h"
#include "plan/planners.h"
#include "plan/portfolio.h"
#include "services/plan/run_planner.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

constexpr double kPlacedEnd = 0.7;  // share of the budget for who places

// Rows of fusion_methods() or schedule_methods().
template <typename Method, typename Rows>
Result<Method> find_method(std::string_view flag, std::string_view name, const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.name == name) return row.method;
    names.emplace_back(row.name);
  }
  return bad_input("{}: no method named '{}'{} ({})", flag, name, did_you_mean(name, names), join(names, ", "));
}

// Who else's placements are fused as well.
std::vector<StagedPlanner::Rival> rivals_of(std::string_view planner) {
  std::vector<StagedPlanner::Rival> rivals;
  const PlannerInfo* info = find_classical_planner(planner);
  if (info == nullptr || !info->is_portfolio) return rivals;
  for (const Member& member : members_for(Objective::kStep)) {
    if (member.stays) rivals.push_back({std::string(member.planner), find_classical_planner(member.planner)->make});
  }
  return rivals;
}

}  // namespace

Result<StageRequest> find_stages(const std::string& fusion, const std::string& schedule) {
  StageRequest request{.fusion = fusion, .schedule = schedule};
  if (!fusion.empty()) {
    BERTH_TRY(request.stages.fusion, find_method<FusionMethod>("--fusion", fusion, fusion_methods()));
  }
  if (!schedule.empty()) {
    BERTH_TRY(request.stages.schedule, find_method<ScheduleMethod>("--schedule", schedule, schedule_methods()));
  }
  return request;
}

Budget budget_to_place(const Budget& budget, const StageRequest& request) {
  if (!request.any()) return budget;
  Budget part = budget;
  part.time_s *= kPlacedEnd;
  if (budget.evaluations > 0) {
    const double share = kPlacedEnd * static_cast<double>(budget.evaluations);
    part.evaluations = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
  return part;
}

Outcome run_stages(const Problem& problem, Outcome placed, const StageRequest& request, const Budget& budget,
                   Caller& caller) {
  const Stages& stages = request.stages;
  if (!stages.any()) return placed;
  Budget rest = budget;
  rest.time_s = std::max(budget.time_s - placed.search_s, 0.0);
  if (budget.evaluations > 0) {
    rest.evaluations = budget.evaluations - std::min(placed.evaluations, budget.evaluations - 1);
  }
  // What was proved while placing holds for plans that fuse nothing.
  const bool fuses = stages.may_fuse() || !placed.plan.fusions.empty();
  const std::optional<LowerBound> fused = fuses ? std::optional(lower_bound(problem, true)) : std::nullopt;
  const Picoseconds bound = fused ? fused->value() : placed.lower_bound;
  const auto make = [&] { return std::make_unique<StagedPlanner>(placed.plan, stages, rivals_of(placed.planner)); };
  Outcome outcome = run_planner(problem, {placed.planner, make}, rest, bound, caller);
  outcome.bound_name = placed.bound_name;
  outcome.bound_reason = placed.bound_reason;
  if (fused) tell_bound(problem, *fused, outcome);
  outcome.fusion = request.fusion;
  outcome.schedule = request.schedule;
  outcome.search_s += placed.search_s;
  outcome.evaluations += placed.evaluations;
  outcome.seed = budget.seed;
  if (outcome.note.empty()) outcome.note = placed.note;
  if (placed.best_seen) outcome.best_seen = std::min(*placed.best_seen, outcome.best_seen.value_or(*placed.best_seen));
  return outcome;
}

}  // namespace berth
