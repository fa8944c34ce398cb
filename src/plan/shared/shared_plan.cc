// SPDX-License-Identifier: Apache-2.0
#include "plan/shared/shared_plan.h"

#include <algorithm>

#include "graph/structure_hash.h"
#include "plan/refine/refiner.h"
#include "plan/search/walkers.h"
#include "plan/shared/shared_evaluator.h"

namespace berth {
namespace {

constexpr double kSharedTrialsEnd = 0.5;  // of the budget: until then the starts are refined one by one
constexpr std::size_t kSharedTrials = 4;

class SharedSearch {
 public:
  SharedSearch(std::span<const Problem> problems, std::span<const Plan> starts, const SharedPlanOptions& options)
      : problems_(problems), starts_(starts), options_(options), is_known_(problems.size(), false) {
    result_.own.resize(problems.size());
    result_.own_scores.resize(problems.size());
  }

  Result<SharedPlan> run() && {
    BERTH_RETURN_IF_ERROR(check_graphs());
    for (std::size_t i = 0; i < problems_.size(); ++i) score_starts(i);
    find_legal_starts();
    if (legal_.empty())
      return infeasible("no plan is legal at all of these sizes; loosen the constraints, or plan for each size alone");
    run_search();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Status check_graphs() const {
    for (const Problem& problem : problems_.subspan(1)) {
      if (const auto difference = difference_of_ops(problems_.front().graph(), problem.graph())) {
        return bad_input("the graphs differ in more than sizes: {}", *difference);
      }
    }
    return {};
  }

  void score_starts(std::size_t problem) {
    const auto evaluator = make_single_evaluator(problems_[problem]);
    for (const Plan& start : starts_) {
      if (!verify(problems_[problem], start)) note_own(problem, start, evaluator->evaluate(start));
    }
  }

  void note_own(std::size_t problem, const Plan& plan, const Score& score) {
    if (is_known_[problem] && !better(score, result_.own_scores[problem])) return;
    result_.own[problem] = plan;
    result_.own_scores[problem] = score;
    is_known_[problem] = true;
  }

  void find_legal_starts() {
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const bool is_twin = std::ranges::any_of(legal_, [&](std::size_t other) { return starts_[other] == starts_[i]; });
      const bool is_legal = std::ranges::none_of(
          problems_, [&](const Problem& problem) { return verify(problem, starts_[i]).has_value(); });
      if (is_legal && !is_twin) legal_.push_back(i);
    }
  }

  void run_search() {
    std::vector<Picoseconds> yardsticks;
    for (const Score& score : result_.own_scores) yardsticks.push_back(score.step_time);
    const std::size_t leader = SharedEvaluator::leader_of(yardsticks);
    // A plan as good as every problem's own is all that is asked for: its joint time is the leader's own.
    Search search(problems_[leader], options_.budget, std::max<Picoseconds>(yardsticks[leader], 1),
                  [problems = problems_, yardsticks](const Budget&) {
                    return std::make_unique<SharedEvaluator>(problems, yardsticks);
                  });
    search.set_stop_flag(options_.stop);
    search.set_progress(options_.progress);
    try_starts(search);
    const Plan best_start = search.best_plan();
    refine(search);
    take(search, best_start);
  }

  // Evaluates them and puts the best first.
  void try_starts(Search& search) {
    std::vector<Score> scores(starts_.size());
    for (const std::size_t start : legal_) scores[start] = search.evaluate(starts_[start]);
    std::ranges::stable_sort(legal_, [&](std::size_t a, std::size_t b) { return better(scores[a], scores[b]); });
    result_.start = legal_.front();
  }

  // The best starts for an equal part of the time each, then the best plan found for the rest.
  void refine(Search& search) {
    std::erase_if(legal_,
                  [&](std::size_t start) { return !starts_[start].fusions.empty(); });  // a refiner fuses nothing
    if (legal_.empty() || is_done(search)) return;
    const std::size_t walkers = Walkers(search).size(), trials = std::min(legal_.size(), kSharedTrials);
    Refiner refiner(search, Rng(search.budget().seed), {}, walkers);
    const double begin = search.progress();
    for (std::size_t i = 0; i < trials && !is_done(search); ++i) {
      const Score before = search.best_score();
      const double share = static_cast<double>(i + 1) / static_cast<double>(trials);
      refiner.improve_once(starts_[legal_[i]], begin + (kSharedTrialsEnd - begin) * share);
      if (better(search.best_score(), before)) result_.start = legal_[i];
    }
    if (!is_done(search) && search.best_plan().fusions.empty()) refiner.improve(search.best_plan(), 1.0);
  }

  static bool is_done(const Search& search) { return search.should_stop() || search.at_lower_bound(); }

  void take(const Search& search, const Plan& best_start) {
    result_.plan = search.best_plan();
    result_.refined = result_.plan != best_start;
    result_.search_s = search.elapsed_s();
    result_.evaluations = search.evaluations();
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      result_.scores.push_back(simulate(problems_[i], result_.plan));
      note_own(i, result_.plan, result_.scores[i]);
    }
  }

  std::span<const Problem> problems_;
  std::span<const Plan> starts_;
  const SharedPlanOptions& options_;
  SharedPlan result_;
  std::vector<bool> is_known_;      // per problem: it has a plan of its own
  std::vector<std::size_t> legal_;  // starts that are legal in every problem
};

}  // namespace

std::optional<double> SharedPlan::regret(std::size_t problem) const {
  if (!scores[problem].feasible) return std::nullopt;
  const Picoseconds alone = own_scores[problem].step_time, shared = scores[problem].step_time;
  if (alone == shared) return 0.0;  // also where both take no time
  return to_seconds(shared) / std::max(to_seconds(alone), 1e-12) - 1.0;
}

Result<SharedPlan> plan_for_all(std::span<const Problem> problems, std::span<const Plan> starts,
                                const SharedPlanOptions& options) {
  return SharedSearch(problems, starts, options).run();
}

}  // namespace berth
