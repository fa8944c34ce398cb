// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/exact.h"

#include <algorithm>
#include <limits>

#include "machine/device_set.h"
#include "plan/exact/tree_search.h"
#include "plan/mincut/mincut_exact.h"
#include "plan/order/ranks.h"
#include "plan/planners.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr Picoseconds kNoUpperBound = std::numeric_limits<Picoseconds>::max() / 8;
// Shares of the budget: for simple plans, for a first attempt at the proof, and for a better plan before the second.
constexpr double kStartEnd = 0.05, kFirstProofEnd = 0.1, kAnnealEnd = 0.25;

bool has_feasible(const Search& search) { return search.has_best() && search.best_score().feasible; }

// Runs a planner that every build has. What it finds goes to the search.
std::optional<Error> run_planner(Search& search, std::string_view name) {
  const Result<Plan> plan = find_classical_planner(name)->make()->plan(search);
  return plan ? std::nullopt : std::optional(plan.error());
}

// The best of what simple planners say; errors of single ones do not matter as long as one has a plan.
std::optional<Error> run_starts(Search& search) {
  std::optional<Error> first_error;
  for (const std::string_view name : {"single", "expert", "heft"}) {
    if (search.has_best() && search.should_stop()) break;
    if (const auto error = run_planner(search, name); error && !first_error) first_error = error;
  }
  return first_error;
}

// Moves one unit at a time to where the simulator likes it better, to a local optimum. Priorities are upward ranks.
void improve(Search& search) {
  const Problem& problem = search.problem();
  for (bool improved = true; improved;) {
    improved = false;
    for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
      for (DeviceSet left = problem.unit_allowed(unit); left != 0; left &= left - 1) {
        if (search.should_stop()) return;
        Plan plan = search.best_plan();
        const DeviceId device = lowest_device(left);
        for (const OpId op : problem.unit_ops(unit)) plan.device_of[index(op)] = device;
        plan.priority = upward_ranks(problem, plan);
        if (verify(problem, plan)) continue;
        const Score before = search.best_score();
        improved = better(search.evaluate(plan), before) || improved;
      }
    }
  }
}

// Looks through plans below a rising limit. True once there is nothing better than the best.
bool prove(Search& search) {
  exact::TreeSearch tree(search);
  const auto upper = [&] { return has_feasible(search) ? search.best_score().step_time : kNoUpperBound; };
  const auto raise = [&](Picoseconds proved) {
    if (proved < kNoUpperBound) search.raise_lower_bound(proved);
  };
  raise(tree.root_bound(upper()));
  for (const double step : {0.25, 0.5, 0.75, 1.0}) {
    const Picoseconds gap = upper() - search.lower_bound();
    if (gap <= 0) return true;
    if (upper() == kNoUpperBound && step < 1.0) continue;
    const Picoseconds limit =
        step < 1.0 ? search.lower_bound() + static_cast<Picoseconds>(static_cast<double>(gap) * step) : upper();
    if (!tree.exhaust(limit)) return false;
    raise(std::min(limit, upper()));
  }
  return true;
}

std::optional<Error> start(Search& search) {
  const Search::Part part(search, kStartEnd);
  std::optional<Error> error = run_starts(search);
  if (search.has_best()) improve(search);
  return error;
}

// Small problems are done at once; for the others a better plan to begin with makes the tree much smaller.
bool prove_in_two_attempts(Search& search) {
  {
    const Search::Part part(search, kFirstProofEnd);
    if (prove(search)) return true;
  }
  {
    const Search::Part part(search, kAnnealEnd);
    if (!search.should_stop()) run_planner(search, "anneal");
  }
  return !search.should_stop() && prove(search);
}

std::string gap_note(const Search& search) {
  if (search.lower_bound() == 0) return "not proved";
  const double ratio = to_seconds(search.best_score().step_time) / to_seconds(search.lower_bound());
  return fmt::format("not proved: at most {:.1f} % above the optimum", 100.0 * (ratio - 1.0));
}

}  // namespace

Result<Plan> ExactPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  if (problem.objective() != Objective::kStep)
    return bad_input("exact proves step times; for --objective pipeline use dp");
  // The tree search knows devices that work at the same time only.
  if (is_two_way(problem)) return MincutExactPlanner().plan(search);
  const std::optional<Error> error = start(search);
  if (!problem.machine().overlap()) {
    if (!search.has_best()) return *error;
    improve(search);
    search.set_note("no proof without overlap on more than two devices");
    return search.best_plan();
  }
  if (problem.graph().num_ops() > kMostOps) {
    if (!search.has_best()) return *error;
    improve(search);
    search.set_note(fmt::format("{} ops are too many for a proof", group_digits(problem.graph().num_ops())));
    return search.best_plan();
  }
  const bool is_proved = prove_in_two_attempts(search);
  if (!search.has_best()) return is_proved ? infeasible("exact: proved that no plan honours the constraints") : *error;
  if (is_proved) {
    search.set_proof_note(has_feasible(search) ? "proved optimal" : "proved that no plan fits into memory");
  } else if (has_feasible(search)) {
    search.set_proof_note(gap_note(search));
  } else {
    search.set_note("no plan that fits found");
  }
  return search.best_plan();
}

}  // namespace berth
