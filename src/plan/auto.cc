// SPDX-License-Identifier: Apache-2.0
#include "plan/auto.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plan/pipeline_search.h"
#include "plan/schedule_search.h"

namespace berth {
namespace {

// Ends of its parts, as shares of the budget.
constexpr double kMembersEnd = 0.15, kListsEnd = 0.30, kTrialsEnd = 0.60;
constexpr std::size_t kTrials = 4;         // starts taken through all levels
constexpr std::size_t kMostListed = 2000;  // ops up to which lists are searched

constexpr std::array<std::string_view, 2> kSureTrials{"single", "expert"};
constexpr std::array<std::string_view, 5> kQuickMembers{"single", "expert", "heft", "m-etf", "m-topo"};

struct Start {
  std::string_view name;
  Plan plan;
  Score score;
};

// Linear in the graph: they run to their end, however small the budget, so that there is a plan to start from.
bool is_quick(std::string_view name) { return std::ranges::find(kQuickMembers, name) != kQuickMembers.end(); }

bool is_done(const Search& search) { return search.has_best() && (search.should_stop() || search.at_lower_bound()); }

// The sure trials lead, then the best: from one device large groups go wherever they like, and the layer rule is good
// in large things, which refinement finds hardest.
void put_promising_first(std::vector<Start>& starts) {
  std::ranges::stable_sort(starts, [](const Start& a, const Start& b) { return better(a.score, b.score); });
  std::ranges::stable_partition(
      starts, [](const Start& start) { return std::ranges::find(kSureTrials, start.name) != kSureTrials.end(); });
}

class AutoSearch {
 public:
  AutoSearch(Search& search, const AutoOptions& options) : search_(search), options_(options) {}

  Result<Plan> run() {
    run_members();
    if (!search_.has_best()) {
      if (first_error_) return *first_error_;
      return bad_input("planner 'auto' has nothing to start from: none of its members is in this build");
    }
    start_score_ = search_.best_score();
    if (options_.list_search) search_lists();
    if (options_.refine && !starts_.empty() && !is_done(search_)) refine();
    search_.set_note(note());
    return search_.best_plan();
  }

 private:
  // What costs least comes first in the list, so that there is a plan at once.
  void run_members() {
    for (const std::string_view name : options_.members) {
      const PlannerInfo* info = find_classical_planner(name);
      if (is_done(search_)) break;
      const bool in_time = is_quick(name) || search_.progress() < kMembersEnd;
      if (info != nullptr && in_time) run_member(*info);
    }
    if (!starts_.empty()) put_promising_first(starts_);
  }

  void run_member(const PlannerInfo& info) {
    const Search::Part part(search_, is_quick(info.name) ? 1.0 : kMembersEnd);
    const bool had_best = search_.has_best();
    const Score before = had_best ? search_.best_score() : Score();
    Result<Plan> plan = info.make()->plan(search_);
    if (search_.has_best() && (!had_best || better(search_.best_score(), before))) winner_ = info.name;
    if (!plan) {
      if (!first_error_) first_error_ = plan.error();
      return;
    }
    if (std::ranges::find(starts_, *plan, &Start::plan) != starts_.end()) return;  // one trial is enough
    Score score = search_.best_plan() == *plan ? search_.best_score() : search_.evaluate(*plan);
    starts_.push_back({info.name, *std::move(plan), std::move(score)});
  }

  void search_lists() {
    if (search_.problem().graph().num_ops() > kMostListed || is_done(search_)) return;
    const Search::Part part(search_, kListsEnd);
    search_schedules(search_);
  }

  // The most promising starts are taken through all levels, each in the same time; the best of them goes on.
  void refine() {
    Refiner refiner(search_, Rng(search_.budget().seed), options_.refinement);
    const std::size_t trials = std::min(kTrials, starts_.size());
    const double begin = search_.progress();
    for (std::size_t i = 0; i < trials && !is_done(search_); ++i) {
      const double share = static_cast<double>(i + 1) / static_cast<double>(trials);
      const Score before = search_.best_score();
      refiner.improve_once(starts_[i].plan, begin + (kTrialsEnd - begin) * share);
      if (better(search_.best_score(), before)) winner_ = starts_[i].name;
    }
    if (!is_done(search_)) refiner.improve(search_.best_plan(), 1.0);
  }

  [[nodiscard]] std::string note() const {
    const Score& best = search_.best_score();
    if (!better(best, start_score_)) return fmt::format("as {} has it", winner_);
    if (!best.feasible) return fmt::format("started from {}, refined, but nothing found fits", winner_);
    if (!start_score_.feasible) return fmt::format("started from {}, refined until it fits", winner_);
    const double saved = 1.0 - static_cast<double>(best.step_time) / static_cast<double>(start_score_.step_time);
    return fmt::format("started from {}; refinement took {:.1f} % off the best start", winner_, 100 * saved);
  }

  Search& search_;
  const AutoOptions& options_;
  std::vector<Start> starts_;
  std::optional<Error> first_error_;
  Score start_score_;        // of the best member
  std::string_view winner_;  // member whose plan the best one was, or grew from
};

}  // namespace

Result<Plan> AutoPlanner::plan(Search& search) {
  if (search.problem().objective() == Objective::kPipeline) return plan_pipeline(search);
  return AutoSearch(search, options_).run();
}

}  // namespace berth
