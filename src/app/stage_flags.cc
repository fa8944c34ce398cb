// SPDX-License-Identifier: Apache-2.0
#include "app/stage_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "base/text.h"
#include "io/plan_file.h"
#include "plan/planners.h"
#include "plan/portfolio.h"
#include "sim/bounds.h"

namespace berth::app {
namespace {

constexpr double kPlacedEnd = 0.7;  // share of the budget for who places

// Rows of fusion_methods() or schedule_methods().
template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

template <typename Method, typename Rows>
Result<Method> find_method(std::string_view flag, std::string_view name, const Rows& rows) {
  for (const auto& row : rows) {
    if (row.name == name) return row.method;
  }
  const std::vector<std::string> names = names_of(rows);
  return bad_input("{}: no method named '{}'{} ({})", flag, name, did_you_mean(name, names), join(names, ", "));
}

template <typename Rows>
std::string help_of(std::string_view what, const Rows& rows) {
  std::string text(what);
  for (const auto& row : rows) text += fmt::format("\n{}: {}", row.name, row.summary);
  return text;
}

// Names are checked before anything else is done.
Stages known_stages(const StageFlags& flags) { return stages_of(flags).value(); }

// Who else's placements are fused as well.
std::vector<StagedPlanner::Rival> rivals_of(std::string_view planner) {
  std::vector<StagedPlanner::Rival> rivals;
  if (planner != "auto") return rivals;
  for (const Member& member : members_for(Objective::kStep)) {
    if (member.stays) rivals.push_back({std::string(member.planner), find_classical_planner(member.planner)->make});
  }
  return rivals;
}

}  // namespace

std::string_view StageFlags::given() const {
  if (!fusion.empty()) return "--fusion";
  if (!schedule.empty()) return "--schedule";
  return placement.empty() ? "" : "--placement";
}

CLI::Option* add_stage_flags(CLI::App& command, StageFlags& flags) {
  command
      .add_option("--fusion", flags.fusion,
                  help_of("who decides which ops run as one; default: keep", fusion_methods()))
      ->type_name("METHOD");
  command
      .add_option("--schedule", flags.schedule,
                  help_of("who decides the order of the ops of a device; default: keep", schedule_methods()))
      ->type_name("METHOD");
  return command
      .add_option("--placement", flags.placement,
                  "plan file whose devices stay as they are: only --fusion and --schedule are decided")
      ->type_name("PLAN");
}

Result<Stages> stages_of(const StageFlags& flags) {
  Stages stages;
  if (!flags.fusion.empty()) {
    BERTH_TRY(stages.fusion, find_method<FusionMethod>("--fusion", flags.fusion, fusion_methods()));
  }
  if (!flags.schedule.empty()) {
    BERTH_TRY(stages.schedule, find_method<ScheduleMethod>("--schedule", flags.schedule, schedule_methods()));
  }
  return stages;
}

Status check_stages(const StageFlags& flags) {
  BERTH_TRY(const Stages stages, stages_of(flags));
  if (flags.placement.empty() || stages.any()) return {};
  return bad_input(
      "--placement leaves nothing to decide; add --fusion or --schedule (berth score judges a plan as it is)");
}

Status check_objective(const StageFlags& flags, const Problem& problem) {
  if (!known_stages(flags).any() || problem.objective() != Objective::kPipeline) return {};
  return bad_input("{} is for the objective 'step'; 'pipeline' adds up loads, which neither fusion nor order changes",
                   flags.given());
}

Result<Outcome> read_placement(const StageFlags& flags, const ConstraintFlags& constraints, const Problem& problem) {
  const std::string& path = flags.placement;
  BERTH_TRY(const Plan plan, load_plan_file(path, problem.graph(), problem.machine()));
  if (const Status met = check_demands(constraints, problem, plan); !met) return within(path, met.error());
  if (const auto broken = verify(problem, plan)) return within(path, *broken);
  return score_plan(problem, "file", plan);
}

Budget budget_to_place(const Budget& budget, const StageFlags& flags) {
  if (!known_stages(flags).any()) return budget;
  Budget part = budget;
  part.time_s *= kPlacedEnd;
  if (budget.evaluations > 0) {
    const double share = kPlacedEnd * static_cast<double>(budget.evaluations);
    part.evaluations = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
  return part;
}

Outcome run_stages(const Problem& problem, Outcome placed, const StageFlags& flags, const Budget& budget,
                   bool progress) {
  const Stages stages = known_stages(flags);
  if (!stages.any()) return placed;
  Budget rest = budget;
  rest.time_s = std::max(budget.time_s - placed.search_s, 0.0);
  if (budget.evaluations > 0) {
    rest.evaluations = budget.evaluations - std::min(placed.evaluations, budget.evaluations - 1);
  }
  // What was proved while placing holds for plans that fuse nothing.
  const bool fuses = stages.may_fuse() || !placed.plan.fusions.empty();
  const Picoseconds bound = fuses ? lower_bound(problem, /*fusion_allowed=*/true).value() : placed.lower_bound;
  const auto make = [&] { return std::make_unique<StagedPlanner>(placed.plan, stages, rivals_of(placed.planner)); };
  Outcome outcome = run_planner(problem, {placed.planner, make}, rest, bound, progress);
  outcome.fusion = flags.fusion;
  outcome.schedule = flags.schedule;
  outcome.search_s += placed.search_s;
  outcome.evaluations += placed.evaluations;
  outcome.seed = budget.seed;
  if (outcome.note.empty()) outcome.note = placed.note;
  if (placed.best_seen) outcome.best_seen = std::min(*placed.best_seen, outcome.best_seen.value_or(*placed.best_seen));
  return outcome;
}

}  // namespace berth::app
