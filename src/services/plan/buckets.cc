// SPDX-License-Identifier: Apache-2.0
#include "services/plan/buckets.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "files/output_path.h"
#include "plan/shared/shared_plan.h"
#include "services/plan/plan_files.h"
#include "services/plan/run_planner.h"
#include "services/words.h"
#include "sim/bounds/bounds.h"

namespace berth {
namespace {

void plan_each(PlacedBuckets& placed, const ChosenPlanner& planner, const Budget& budget, Caller& caller) {
  for (const Problem& problem : placed.problems) {
    const Picoseconds bound = lower_bound(problem).value();
    placed.own.push_back(caller.wants_to_stop() ? not_run(planner, budget, bound)
                                                : run_planner(problem, planner, budget, bound, caller));
  }
}

// The best plan known for a bucket may come from another one, or be the shared plan.
void take_own(Outcome& own, const Plan& plan, const Score& score) {
  if (!own.error && own.plan == plan) return;
  own.plan = plan;
  own.score = score;
  own.error.reset();
  own.started = true;
  own.note = "found for other sizes";
}

Outcome shared_outcome(const PlacedBuckets& placed, std::size_t bucket, const SharedPlan& found, bool interrupted) {
  Outcome outcome;
  outcome.planner = "shared";
  outcome.note = placed.note;
  outcome.plan = found.plan;
  outcome.score = found.scores[bucket];
  outcome.lower_bound = placed.own[bucket].lower_bound;
  outcome.interrupted = interrupted;
  outcome.search_s = found.search_s;
  outcome.evaluations = found.evaluations;
  outcome.seed = placed.own[bucket].seed;
  return outcome;
}

void plan_together(PlacedBuckets& placed, const Budget& budget, Caller& caller) {
  std::vector<Plan> starts;
  std::vector<std::size_t> bucket_of;  // per start
  for (std::size_t i = 0; i < placed.own.size(); ++i) {
    if (placed.own[i].error) continue;
    starts.push_back(placed.own[i].plan);
    bucket_of.push_back(i);
  }
  if (starts.empty()) {
    placed.error = placed.own.front().error;
    return;
  }
  const Result<SharedPlan> found =
      plan_for_all(placed.problems, starts,
                   {budget, caller.stop_flag(), [&caller](const SearchState& state) { caller.show(state); }});
  caller.part_ends();
  if (!found) {
    placed.error = found.error();
    return;
  }
  placed.note = fmt::format("{} the plan of {}", found->refined ? "refined from" : "as",
                            placed.buckets[bucket_of[found->start]].label());
  placed.search_s = found->search_s;
  placed.evaluations = found->evaluations;
  for (std::size_t i = 0; i < placed.problems.size(); ++i) {
    check_verified(placed.problems[i], "shared", found->plan);
    check_verified(placed.problems[i], "shared", found->own[i]);
    take_own(placed.own[i], found->own[i], found->own_scores[i]);
    placed.shared.push_back(shared_outcome(placed, i, *found, caller.wants_to_stop()));
    placed.regrets.push_back(found->regret(i));
  }
}

}  // namespace

bool PlacedBuckets::feasible() const {
  return !shared.empty() && std::ranges::all_of(shared, [](const Outcome& outcome) { return outcome.feasible(); });
}

std::size_t PlacedBuckets::worst() const {
  return static_cast<std::size_t>(std::ranges::max_element(regrets) - regrets.begin());
}

double PlacedBuckets::mean_regret() const {
  const auto add = [](double sum, const std::optional<double>& regret) { return sum + regret.value(); };
  return std::accumulate(regrets.begin(), regrets.end(), 0.0, add) / static_cast<double>(regrets.size());
}

Result<PlacedBuckets> place_buckets(const ProblemRequest& request, std::vector<Bucket> buckets,
                                    const ChosenPlanner& planner, const Budget& budget, Caller& caller) {
  PlacedBuckets placed;
  BERTH_TRY(std::vector<LoadedProblem> loaded, load_buckets(request, buckets, caller));
  placed.notes = loaded.front().notes;
  for (LoadedProblem& one : loaded) placed.problems.push_back(std::move(one.problem));
  placed.buckets = std::move(buckets);
  caller.work_begins();
  plan_each(placed, planner, budget, caller);
  plan_together(placed, budget, caller);
  placed.interrupted = caller.wants_to_stop();
  return placed;
}

Status save_buckets(const std::string& path, const PlacedBuckets& placed) {
  for (std::size_t i = 0; i < placed.own.size(); ++i) {
    if (placed.own[i].error) continue;
    BERTH_RETURN_IF_ERROR(save_plan(bucket_path(path, placed.buckets[i]), placed.problems[i], placed.own[i]));
  }
  if (placed.shared.empty()) return {};
  std::vector<std::string> also_for;
  for (const Problem& problem : std::span(placed.problems).subspan(1))
    also_for.push_back(problem.graph().structure_hash());
  return save_plan(path, placed.problems.front(), placed.shared.front(), also_for);
}

Status check_bucket_paths(const std::string& path, const std::vector<Bucket>& buckets,
                          std::span<const std::string> sources) {
  if (path.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::is_other(path, ignored)) {
    return bad_input(
        "{}: is no file; for several sizes plans are written beside each other, so give the name of a file", path);
  }
  BERTH_RETURN_IF_ERROR(check_output_path(path, sources));
  for (const Bucket& bucket : buckets) BERTH_RETURN_IF_ERROR(check_output_path(bucket_path(path, bucket), sources));
  return {};
}

std::optional<Error> failure_of(const PlacedBuckets& placed) {
  if (placed.error) return infeasible("no plan for all sizes: {}", placed.error->message);
  for (std::size_t i = 0; i < placed.shared.size(); ++i) {
    if (placed.shared[i].feasible()) continue;
    return within(placed.buckets[i].label(), infeasible("{}", overflow_text(placed.problems[i], placed.shared[i])));
  }
  return std::nullopt;
}

}  // namespace berth
