// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/pipeline_search.h"

#include "plan/pipeline/pipeline_annealer.h"
#include "plan/planners.h"
#include "plan/portfolio.h"
#include "plan/search/placement.h"
#include "plan/search/walkers.h"

namespace berth {
namespace {

std::string note_of(const Score& started, const Score& best, const std::string& start) {
  if (!best.feasible) return fmt::format("from {}, searched, but nothing found fits", start);
  if (!started.feasible) return fmt::format("from {}, searched until it fits", start);
  if (best.step_time == started.step_time) return fmt::format("from {}; no better found", start);
  return fmt::format("from {}; search took {}", start, saved_note(started, best));
}

}  // namespace

Result<Plan> plan_pipeline(Search& search) {
  std::optional<Error> first_error;
  std::string start = search.has_best() ? "the given plan" : "";
  for (const Member& member : members_for(Objective::kPipeline)) {
    const PlannerInfo* info = find_classical_planner(member.planner);
    const bool late = search.has_best() && (search.at_lower_bound() || search.progress() >= member.end);
    if (info == nullptr || late) continue;
    const std::optional<Score> before = search.has_best() ? std::optional(search.best_score()) : std::nullopt;
    const Search::Part part(search, member.end);
    search.set_note("");
    const Result<Plan> plan = info->make()->plan(search);
    if (!plan && !first_error) first_error = plan.error();
    if (!search.has_best() || (before && !better(search.best_score(), *before))) continue;
    start = search.note().empty() ? std::string(info->name) : fmt::format("{} ({})", info->name, search.note());
  }
  if (!search.has_best()) return *first_error;
  const Score started = search.best_score();
  Walkers walkers(search);
  std::vector<Rng> rngs{Rng(search.budget().seed)};
  while (rngs.size() < walkers.size()) rngs.push_back(rngs.front().fork());
  walkers.for_each(walkers.size(), [&](Search& walker, std::size_t i) { improve_pipeline(walker, rngs[i]); });
  search.set_note(note_of(started, search.best_score(), start));
  return search.best_plan();
}

}  // namespace berth
