// SPDX-License-Identifier: Apache-2.0
#include "plan/auto.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "plan/coarsen/condensed.h"
#include "plan/explore/list_search.h"
#include "plan/pipeline/pipeline_search.h"
#include "plan/planners.h"
#include "plan/refine/swarm.h"
#include "plan/search/placement.h"
#include "plan/search/walkers.h"
#include "plan/weights/settle.h"
#include "plan/weights/streaming.h"

namespace berth {
namespace {

// Ends of its parts, as shares of the budget.
constexpr double kListsEnd = 0.30, kTrialsEnd = 0.60, kTrialsBeforeBatches = 0.35;
constexpr std::size_t kTrials = 4;         // starts taken through all levels
constexpr double kFewEvaluations = 5000;   // for fewer, one trial is all there is time for
constexpr std::size_t kMostListed = 2000;  // ops up to which lists are searched

// A graph that is too large for lists is condensed if there is time for so many plans of the whole, but not for one per
// op, and so few of its ops remain; the search of what remains has most of the time that is left.
constexpr double kLeastToCondense = 100;
constexpr double kWorthCondensing = 0.5, kCondensedShare = 0.9;
constexpr double kPassesPerEvaluation = 12, kMostPasses = 4, kPassesShare = 0.7;  // the first: for one per op

// On a machine that was measured. Of seven plans that were predicted to be up to 2 % faster than one device five took 3
// to 53 % longer when they were run (docs/reality.md): each handover has a chance to come late.
constexpr double kWorthwhile = 0.05;

constexpr std::string_view kStreamed = "streamed weights", kLists = "list search", kGiven = "the given plan";

struct Start {
  std::string name;
  Plan plan;
  Score score;
  bool stays = false;  // whatever the others are worth
};

bool is_done(const Search& search) { return search.has_best() && (search.should_stop() || search.at_lower_bound()); }

// Those that stay lead, then the best.
void put_promising_first(std::vector<Start>& starts) {
  std::ranges::stable_sort(starts, [](const Start& a, const Start& b) { return better(a.score, b.score); });
  std::stable_partition(starts.begin(), starts.end(), [](const Start& start) { return start.stays; });
}

class AutoSearch {
 public:
  AutoSearch(Search& search, const AutoOptions& options)
      : search_(search), options_(options), walkers_(search), rng_(search.budget().seed) {}

  Result<Plan> run() {
    if (search_.has_best()) {  // somebody has planned before: one more start
      starts_.push_back({std::string(kGiven), search_.best_plan(), search_.best_score(), /*stays=*/true});
      winner_ = kGiven;
    }
    run_members();
    if (!search_.has_best()) {
      if (first_error_) return within("planner 'auto' has no plan to start from", *first_error_);
      return bad_input("planner 'auto' has nothing to start from: none of its members is in this build");
    }
    start_score_ = search_.best_score();
    if (options_.list_search) run_list_search();
    if (options_.refine && !starts_.empty() && !is_done(search_)) refine_while_memory_lasts();
    if (takes_fallback()) {
      const double gain = 1.0 - to_seconds(search_.best_score().step_time) / to_seconds(fallback_->score.step_time);
      search_.set_note(
          fmt::format("as single has it, which is surer: {:.1f} % less is predicted of another plan", 100.0 * gain));
      return fallback_->plan;
    }
    search_.set_note(note());
    return search_.best_plan();
  }

 private:
  void run_members() {
    for (const Member& member : options_.members) {
      const PlannerInfo* info = find_classical_planner(member.planner);
      if (info != nullptr && takes_part(member)) run_member(member, *info);
    }
    if (options_.streamed_start && !is_done(search_) && outgrows_workers(search_.problem())) add_streamed_start();
    if (!starts_.empty()) put_promising_first(starts_);
  }

  [[nodiscard]] bool takes_part(const Member& member) const {
    if (member.without_overlap) return !search_.problem().machine().overlap();
    return !is_done(search_) && (member.is_quick() || has_time_for(member));
  }

  [[nodiscard]] bool has_time_for(const Member& member) const {
    const bool enough = search_.has_best() && search_.best_score().feasible && !starts_.empty();
    return search_.progress() < member.end && !(is_slow() && enough);
  }

  // Whether the rest of the budget holds few evaluations, by what those of the starts have cost.
  [[nodiscard]] double evaluations_left() const {
    if (evaluation_costs_ <= 0) return HUGE_VAL;
    return (1.0 - search_.progress()) * static_cast<double>(starts_.size()) / evaluation_costs_;
  }
  [[nodiscard]] bool is_slow() const { return evaluations_left() < kFewEvaluations; }
  [[nodiscard]] double num_ops() const { return static_cast<double>(search_.problem().graph().num_ops()); }
  void run_member(const Member& member, const PlannerInfo& info) {
    const Search::Part part(search_, member.end);
    const bool had_best = search_.has_best();
    const Score before = had_best ? search_.best_score() : Score();
    Result<Plan> plan = info.make()->plan(search_);
    if (search_.has_best() && (!had_best || better(search_.best_score(), before))) winner_ = info.name;
    if (!plan) {
      if (!first_error_) first_error_ = plan.error();
      return;
    }
    auto start = std::ranges::find(starts_, *plan, &Start::plan);
    if (start == starts_.end()) {  // one trial is enough
      Score score = is_done(search_) && search_.best_plan() == *plan ? search_.best_score() : evaluate_start(*plan);
      start = starts_.insert(start, {std::string(info.name), *std::move(plan), std::move(score), member.stays});
    }
    if (member.is_fallback) fallback_ = *start;
  }

  // Where the accelerators do not hold all weights, to send some may be better than to compute where they are.
  void add_streamed_start() {
    std::optional<Plan> plan = stream_weights(search_, fill_from_the_end(search_.problem()));
    if (!plan || std::ranges::find(starts_, *plan, &Start::plan) != starts_.end()) return;
    const Score before = search_.best_score();
    Score score = evaluate_start(*plan);
    if (better(score, before)) winner_ = kStreamed;
    starts_.push_back({std::string(kStreamed), *std::move(plan), std::move(score)});
  }

  const Score& evaluate_start(const Plan& plan) {
    const double begin = search_.progress();
    const Score& score = search_.evaluate(plan);
    evaluation_costs_ += search_.progress() - begin;
    return score;
  }

  // Whether plans across devices would gain less than real steps differ from predictions.
  [[nodiscard]] bool takes_fallback() const {
    if (!search_.problem().machine().accuracy() || search_.is_measured()) return false;
    if (!fallback_ || !fallback_->score.feasible) return false;
    if (search_.best_plan().device_of == fallback_->plan.device_of) return false;
    const double least = (1.0 - kWorthwhile) * to_seconds(fallback_->score.step_time);
    return to_seconds(search_.best_score().step_time) > least;
  }

  void run_list_search() {
    if (search_.problem().graph().num_ops() > kMostListed || is_done(search_)) return;
    const Search::Part part(search_, kListsEnd);
    const Score before = search_.best_score();
    search_lists(search_);
    if (better(search_.best_score(), before)) winner_ = kLists;
    listed_score_ = search_.best_score();
  }

  void refine_while_memory_lasts() {
    try {
      refine_or_condense();
    } catch (const std::bad_alloc&) {  // what was found is kept
    }
  }

  void refine_or_condense() {
    if (may_condense() && refine_condensed()) return;
    refine();
  }

  [[nodiscard]] bool may_condense() const {
    if (!options_.condense || search_.is_measured() || num_ops() <= kMostListed) return false;
    return evaluations_left() < num_ops() && evaluations_left() >= kLeastToCondense;
  }

  // The most promising starts are taken through all levels, each in the same time; the best of them goes on.
  void refine() {
    const std::size_t batch = search_.budget().batch;
    if (is_slow() && batch == 0) return refine_in_a_hurry(1.0);
    const double trials_end = batch > 0 ? kTrialsBeforeBatches : kTrialsEnd;
    run_trials(std::min(std::max(kTrials, walkers_.size()), starts_.size()), trials_end);
    if (!is_done(search_)) go_on(1.0);
  }

  void go_on(double end) {
    if (const std::size_t batch = search_.budget().batch; batch > 0) {
      return Swarm(search_, rng_.fork(), batch, options_.refinement.moves).improve(search_.best_plan(), end);
    }
    Refiner(search_, rng_.fork(), options_.refinement, walkers_.size()).improve(search_.best_plan(), end);
  }

  // A search of the condensed problem, in which a plan is simulated in a fraction of the time, and then a short one
  // that mends what it leaves open. False if there is little to condense.
  bool refine_condensed() {
    const Problem& whole = search_.problem();
    const std::optional<Condensed> condensed = Condensed::make(whole, hardly_any_time(whole));
    if (!condensed) return false;
    if (static_cast<double>(condensed->problem().graph().num_ops()) > kWorthCondensing * num_ops()) return false;
    const double begin = search_.progress();
    const std::unique_ptr<Search> inner = search_.fork_for(condensed->problem(), search_.lower_bound());
    inner->set_progress([&](const SearchState&) { search_.take_count(*inner); });
    AutoSearch nested(*inner, options_);
    nested.refine_starts_of(*this, *condensed, begin + (1.0 - begin) * kCondensedShare);
    search_.take_count(*inner);
    const Score before = search_.best_score();
    const Plan found = condensed->expand(inner->best_plan());
    const Score& score = search_.evaluate(found);
    if (better(score, before)) winner_ = nested.winner_;
    const bool is_start = better(score, before) || !score.feasible;  // what lacks little memory is soon made to fit
    Refiner(search_, rng_.fork(), options_.refinement, walkers_.size())
        .improve_once(is_start ? found : Plan(search_.best_plan()), 1.0, Pace::kFinishing);
    return true;
  }

  void refine_starts_of(const AutoSearch& whole, const Condensed& condensed, double end) {
    const Search::Part part(search_, end);
    for (const Start& start : whole.starts_) {
      if (is_done(search_)) break;
      Plan plan = condensed.condense(start.plan);
      Score score = evaluate_start(plan);
      starts_.push_back({start.name, std::move(plan), std::move(score), start.stays});
    }
    put_promising_first(starts_);
    winner_ = whole.winner_;
    if (!is_done(search_)) refine_in_passes(end);
  }

  // Ways through the large groups end far apart, so several short ones and the best of them are better than a long one,
  // as long as each has time for more than the largest groups.
  void refine_in_passes(double end) {
    const int passes =
        static_cast<int>(std::clamp(kPassesPerEvaluation * evaluations_left() / num_ops(), 1.0, kMostPasses));
    const double begin = search_.progress();
    const bool in_batches = search_.budget().batch > 0;
    const double share = in_batches ? kTrialsBeforeBatches : passes > 1 ? kPassesShare : 1.0;
    const double passes_end = begin + (end - begin) * share;
    for (int pass = 1; pass <= passes && !is_done(search_); ++pass) {
      refine_in_a_hurry(begin + (passes_end - begin) * pass / passes, /*is_first=*/pass == 1);
    }
    if (share < 1.0 && !is_done(search_)) go_on(end);
  }

  // Where there is time for few evaluations, all walkers take one start, and each goes its own way: the large groups
  // decide, and two ways through them differ more than two ends of one. Every other walker goes at the usual pace, the
  // first of them by the very chances that `anneal` has.
  void refine_in_a_hurry(double end, bool is_first = true) {
    const Score before = search_.best_score();
    const Start& start = first_that_fits();
    std::vector<Rng> rngs = fork_rngs(walkers_.size());
    if (rngs.size() > 1 && is_first) rngs[1] = Rng(search_.budget().seed);
    walkers_.for_each(walkers_.size(), [&](Search& walker, std::size_t i) {
      Refiner(walker, rngs[i], options_.refinement)
          .improve_once(start.plan, end, i % 2 == 0 ? Pace::kHurried : Pace::kUsual);
    });
    if (better(search_.best_score(), before)) winner_ = start.name;
  }

  // Or simply the first, where none does.
  [[nodiscard]] const Start& first_that_fits() const {
    const auto found = std::ranges::find_if(starts_, [](const Start& start) { return start.score.feasible; });
    return found != starts_.end() ? *found : starts_.front();
  }

  void run_trials(std::size_t trials, double end) {
    const double begin = search_.progress();
    const std::size_t rounds = (trials + walkers_.size() - 1) / walkers_.size();
    std::vector<Rng> rngs = fork_rngs(trials);
    std::vector<std::optional<Score>> found(trials);  // by those that found better plans than their walker had
    walkers_.for_each(trials, [&](Search& walker, std::size_t i) {
      if (is_done(walker)) return;
      const Score before = walker.best_score();
      const double share = static_cast<double>(i / walkers_.size() + 1) / static_cast<double>(rounds);
      Refiner(walker, rngs[i], options_.refinement).improve_once(starts_[i].plan, begin + (end - begin) * share);
      if (better(walker.best_score(), before)) found[i] = walker.best_score();
    });
    for (std::size_t i = 0; i < trials; ++i) {
      if (found[i] && !better(search_.best_score(), *found[i])) winner_ = starts_[i].name;
    }
  }

  std::vector<Rng> fork_rngs(std::size_t count) {
    std::vector<Rng> rngs;
    for (std::size_t i = 0; i < count; ++i) rngs.push_back(rng_.fork());
    return rngs;
  }

  [[nodiscard]] std::string note() const {
    const Score& best = search_.best_score();
    if (!better(best, start_score_)) return fmt::format("as {} has it", winner_);
    const bool by_lists = winner_ == kLists && !better(best, listed_score_);
    const std::string how = by_lists ? std::string(kLists) : fmt::format("refined from {}", winner_);
    if (!best.feasible) return fmt::format("{}; nothing was found that fits", how);
    if (!start_score_.feasible) return fmt::format("{} until it fits", how);
    return fmt::format("{}; {} the best plan of the quick planners", how, saved_note(start_score_, best));
  }

  Search& search_;
  const AutoOptions& options_;
  Walkers walkers_;
  Rng rng_;
  std::vector<Start> starts_;
  std::optional<Start> fallback_;
  double evaluation_costs_ = 0.0;  // of all starts, as a share of the budget
  std::optional<Error> first_error_;
  Score start_score_;   // of the best member
  Score listed_score_;  // of the best plan after the search over lists
  std::string winner_;  // member, or part, whose plan the best one was, or grew from
};

}  // namespace

Result<Plan> AutoPlanner::plan(Search& search) {
  const bool is_pipeline = search.problem().objective() == Objective::kPipeline;
  BERTH_TRY(Plan plan, is_pipeline ? plan_pipeline(search) : AutoSearch(search, options_).run());
  return settle_for_free(search, std::move(plan));
}

}  // namespace berth
