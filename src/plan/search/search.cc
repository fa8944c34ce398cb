// SPDX-License-Identifier: Apache-2.0
#include "plan/search/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/bounds/bounds.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kProgressEvery = std::chrono::milliseconds(100);
// A batch is cut into pieces of about this length, so that stopping in its midst is prompt.
constexpr auto kPieceTime = std::chrono::milliseconds(20);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Search::Search(const Problem& problem, const Budget& budget, std::optional<Picoseconds> known_lower_bound)
    : Search(problem, budget, known_lower_bound ? *known_lower_bound : berth::lower_bound(problem).value(),
             [&problem](const Budget& ours) {
               return make_simulated_evaluator(problem, ours.threads, ours.simulate_on);
             }) {}

Search::Search(const Problem& problem, const Budget& budget, Picoseconds known_lower_bound,
               EvaluatorMaker make_evaluator)
    : problem_(problem),
      budget_(budget),
      make_evaluator_(std::move(make_evaluator)),
      evaluator_(make_evaluator_(budget)),
      lower_bound_(known_lower_bound) {
  start_ = last_progress_ = Clock::now();
}

std::unique_ptr<Search> Search::fork() const {
  Budget budget = budget_;
  budget.threads = 1;
  budget.simulate_on = SimulateOn::kCpu;
  auto forked = std::make_unique<Search>(problem_, budget, lower_bound_, make_evaluator_);
  forked->start_ = start_;
  forked->stop_flag_ = stop_flag_;
  forked->is_measured_ = is_measured_;
  return forked;
}

void Search::follow(const Search& search) {
  end_ = search.end_;
  raise_lower_bound(search.lower_bound());
  if (search.has_best()) keep(search.best_plan(), search.best_score());
}

void Search::join(Search& forked) {
  raise_lower_bound(forked.lower_bound());
  if (forked.has_best()) keep(forked.best_plan(), forked.best_score());
  count_evaluations(forked.evaluations_ - forked.joined_);
  forked.joined_ = forked.evaluations_;
}

std::unique_ptr<Search> Search::fork_for(const Problem& other, Picoseconds lower_bound) const {
  auto forked = std::make_unique<Search>(other, budget_, lower_bound, [&other](const Budget& ours) {
    return make_simulated_evaluator(other, ours.threads, ours.simulate_on);
  });
  forked->start_ = start_;
  forked->stop_flag_ = stop_flag_;
  forked->evaluations_ = forked->joined_ = evaluations_;
  forked->end_ = end_;
  return forked;
}

void Search::take_count(Search& forked) {
  count_evaluations(forked.evaluations_ - forked.joined_);
  forked.joined_ = forked.evaluations_;
}

double Search::elapsed_s() const { return seconds_since(start_); }

bool Search::should_stop() const {
  if (stop_flag_ != nullptr && stop_flag_->load(std::memory_order_relaxed)) return true;
  return progress() >= end_;
}

double Search::progress() const {
  if (budget_.evaluations > 0) return static_cast<double>(evaluations_) / static_cast<double>(budget_.evaluations);
  return budget_.time_s > 0 ? elapsed_s() / budget_.time_s : 1.0;
}

// How many of `wanted` more evaluations the budget holds.
std::size_t Search::allowed_of(std::size_t wanted) const {
  if (should_stop()) return 0;
  if (budget_.evaluations == 0) return wanted;
  const auto end = static_cast<std::uint64_t>(std::ceil(end_ * static_cast<double>(budget_.evaluations)));
  const std::uint64_t left = end > evaluations_ ? end - evaluations_ : 1;  // rounding must not hold a search up
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left));
}

const Score& Search::evaluate(const Plan& plan) {
  const Score& score = evaluator_->evaluate(plan);
  ++evaluations_;
  last_score_ = &score;
  keep(plan, score);
  tick();
  return score;
}

void Search::add(const Plan& plan, const Score& score) {
  ++evaluations_;
  keep(plan, score);
  tick();
}

const Score* Search::evaluate_bounded(const Plan& plan, Picoseconds cutoff) {
  const Score* score = evaluator_->evaluate_bounded(plan, cutoff);
  ++evaluations_;
  if (score != nullptr) keep(plan, *score);
  tick();
  return score;
}

const BatchScores& Search::evaluate(const PlanBatch& plans) {
  batch_scores_ = {};
  std::size_t done = 0, piece = static_cast<std::size_t>(std::max(budget_.threads, 1));
  if (evaluator_->likes_whole_batches()) piece = plans.size;
  while (done < plans.size) {
    const std::size_t count = allowed_of(std::min(piece, plans.size - done));
    if (count == 0) break;
    const Clock::time_point started = Clock::now();
    const PlanBatch part = plans.part(done, count);
    const BatchScores& scores = evaluator_->evaluate(part);
    batch_scores_.append(scores);
    keep_best_of(part, scores);
    evaluations_ += count;
    done += count;
    if (Clock::now() - started < kPieceTime / 2) piece *= 2;
    tick();
  }
  return batch_scores_;
}

// The first of the best ones is simulated once more, since the best plan is kept with its whole score.
void Search::keep_best_of(const PlanBatch& plans, const BatchScores& scores) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < plans.size; ++i) best = scores.better(i, best) ? i : best;
  const auto value = std::pair(scores.over[best], scores.step_time[best]);
  const Bytes known_over = best_score_.overflow ? best_score_.overflow->over : 0;
  if (best_plan_ && value >= std::pair(known_over, best_score_.step_time)) return;
  plans.read(best, batch_plan_);
  keep(batch_plan_, evaluator_->evaluate(batch_plan_));
}

void Search::count_evaluations(std::uint64_t count) {
  evaluations_ += count;
  tick();
}

void Search::keep(const Plan& plan, const Score& score) {
  if (best_plan_ && !better(score, best_score_)) return;
  best_plan_ = plan;
  best_score_ = score;
}

void Search::tick() {
  if (!progress_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_progress_ < kProgressEvery) return;
  last_progress_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  SearchState state{elapsed_s, evaluations_, std::nullopt, lower_bound_};
  if (best_plan_ && best_score_.feasible) state.best = best_score_.step_time;
  progress_(state);
}

}  // namespace berth
