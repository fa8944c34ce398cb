// SPDX-License-Identifier: Apache-2.0
// Search: what planners work through. It counts evaluations, watches the budget and Ctrl-C, and keeps the best plan
// seen, so that stopping early never loses it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "problem/problem.h"
#include "sim/evaluator.h"

namespace berth {

struct Budget {
  double time_s = 10.0;           // wall-clock seconds; counts only without a limit on evaluations
  std::uint64_t evaluations = 0;  // 0: no limit; otherwise results depend on seed alone, not on time
  std::uint64_t seed = 1;
  int threads = 1;
  SimulateOn simulate_on = SimulateOn::kCpu;  // batches of plans; changes no score
  std::size_t batch = 0;                      // plans judged at once; 0: as its planner likes
};

struct SearchState {  // what a progress line shows
  double elapsed_s = 0.0;
  std::uint64_t evaluations = 0;
  std::optional<Picoseconds> best;  // step time of the best feasible plan
  Picoseconds lower_bound = 0;
};

// Makes the evaluator of a search, and those of its forks, each by its budget.
using EvaluatorMaker = std::function<std::unique_ptr<Evaluator>(const Budget&)>;

class Search {
 public:
  // Computes the lower bound unless the caller knows it; the clock starts after that.
  Search(const Problem& problem, const Budget& budget, std::optional<Picoseconds> known_lower_bound = std::nullopt);
  // Plans are judged by other means than a simulation of the problem. Planners still take from the problem what they
  // want to know about ops and devices.
  Search(const Problem& problem, const Budget& budget, Picoseconds known_lower_bound, EvaluatorMaker make_evaluator);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Budget& budget() const { return budget_; }
  // Whether plans are judged by real runs and not by what is predicted of them.
  [[nodiscard]] bool is_measured() const { return is_measured_; }
  void set_measured(bool is_measured) { is_measured_ = is_measured; }

  // Scores a plan that passes verify() and remembers it if it is the best so far. Never refused, so that even an empty
  // budget gives one plan. The reference is valid until the next evaluation.
  const Score& evaluate(const Plan& plan);
  // The same for many at once: scores of the first k plans, k < plans.size only if the search had to stop. Valid until
  // the next such call.
  const BatchScores& evaluate(const PlanBatch& plans);
  // What ran where of these; nullptr if nobody knows.
  [[nodiscard]] const BatchUse* batch_use() const { return evaluator_->batch_use(); }

  // Takes a plan that was scored elsewhere, by a simulation of this problem: counted and remembered like any other.
  void add(const Plan& plan, const Score& score);

  // For searches that know beforehand which scores they would accept: the exact score, remembered like any other, if
  // the plan takes at most `cutoff`, else nullptr, which is cheaper to find out. Counts as an evaluation.
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff);
  // Says that the plans to come differ little from this one, which makes evaluate_bounded() faster. It costs about one
  // and a half evaluations, so it pays after a move that was accepted.
  void rebase(const Plan& plan) { evaluator_->rebase(plan); }

  // A search for another thread: the same problem, clock and flag to stop, but nothing shared, one thread and no
  // progress. follow() gives it the best plan and the end of the search it came from; join() takes over what it found,
  // and its evaluations since the last time.
  [[nodiscard]] std::unique_ptr<Search> fork() const;
  void follow(const Search& search);
  void join(Search& forked);
  // A search of another problem by simulations, on the budget that is left here: the same clock, seed, threads and flag
  // to stop, no plan and no progress. take_count() takes over its evaluations since the last time, and nothing else.
  [[nodiscard]] std::unique_ptr<Search> fork_for(const Problem& other, Picoseconds lower_bound) const;
  void take_count(Search& forked);

  // Seconds until the time budget, or the Part of it that is running, is used up; meaningless for evaluations.
  [[nodiscard]] double seconds_left() const { return end_ * budget_.time_s - elapsed_s(); }
  // How much of the budget is used, from 0 to 1.
  [[nodiscard]] double progress() const;
  // While a Part lives, the search has to stop once `end` of the whole budget is used, or earlier if an outer Part says
  // so.
  class Part {
   public:
    Part(Search& search, double end) : search_(search), outer_(search.end_) { search.end_ = std::min(end, outer_); }
    ~Part() { search_.end_ = outer_; }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    Search& search_;
    double outer_;
  };

  // True once time or evaluations are used up, or somebody asked to stop. Planners ask at least every few milliseconds.
  [[nodiscard]] bool should_stop() const;
  // Set from a signal handler or another thread.
  void set_stop_flag(const std::atomic<bool>* flag) { stop_flag_ = flag; }
  // Called now and then from evaluate() and tick(), at most every 100 ms.
  void set_progress(std::function<void(const SearchState&)> progress) { progress_ = std::move(progress); }
  void tick();

  [[nodiscard]] bool has_best() const { return best_plan_.has_value(); }
  [[nodiscard]] const Plan& best_plan() const { return *best_plan_; }
  [[nodiscard]] const Score& best_score() const { return best_score_; }
  [[nodiscard]] const Score& last_score() const {
    return *last_score_;
  }  // of the last evaluate(plan); valid until the next
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] Picoseconds lower_bound() const { return lower_bound_; }
  // Whether no plan can be better than the best one.
  [[nodiscard]] bool at_lower_bound() const {
    return best_plan_ && best_score_.feasible && best_score_.step_time <= lower_bound_;
  }
  // For planners that prove more than the bound the search began with, and for those that judge plans by other means:
  // what they did counts against the budget like as many evaluations.
  void raise_lower_bound(Picoseconds proved) { lower_bound_ = std::max(lower_bound_, proved); }
  void count_evaluations(std::uint64_t count);

  // One line for people about how the plan came to be ("one gpu beats the layer rule"). Empty if there is nothing to
  // say.
  void set_note(std::string note) {
    note_ = std::move(note);
    tells_proof_ = false;
  }
  // The same about how far it is proved that no plan is better, by simulations: real runs know nothing of that.
  void set_proof_note(std::string note) {
    note_ = std::move(note);
    tells_proof_ = true;
  }
  [[nodiscard]] const std::string& note() const { return note_; }
  [[nodiscard]] bool note_tells_proof() const { return tells_proof_; }

 private:
  void keep(const Plan& plan, const Score& score);
  void keep_best_of(const PlanBatch& plans, const BatchScores& scores);
  [[nodiscard]] std::size_t allowed_of(std::size_t wanted) const;

  const Problem& problem_;
  Budget budget_;
  EvaluatorMaker make_evaluator_;
  bool is_measured_ = false;
  std::unique_ptr<Evaluator> evaluator_;
  std::chrono::steady_clock::time_point start_, last_progress_;
  const std::atomic<bool>* stop_flag_ = nullptr;
  std::function<void(const SearchState&)> progress_;
  std::optional<Plan> best_plan_;
  Score best_score_;
  const Score* last_score_ = nullptr;
  BatchScores batch_scores_;
  Plan batch_plan_;
  std::uint64_t evaluations_ = 0, joined_ = 0;  // joined: that another search has counted
  double end_ = 1.0;                            // share of the budget to be used at present
  Picoseconds lower_bound_ = 0;
  std::string note_;
  bool tells_proof_ = false;
};

}  // namespace berth
