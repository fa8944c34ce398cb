// SPDX-License-Identifier: Apache-2.0
#include "plan/search/search.h"

#include <algorithm>
#include <cmath>

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
             [&problem](int threads) { return make_simulated_evaluator(problem, threads); }) {}

Search::Search(const Problem& problem, const Budget& budget, Picoseconds known_lower_bound,
               EvaluatorMaker make_evaluator)
    : problem_(problem),
      budget_(budget),
      make_evaluator_(std::move(make_evaluator)),
      evaluator_(make_evaluator_(budget.threads)),
      lower_bound_(known_lower_bound) {
  start_ = last_progress_ = Clock::now();
}

std::unique_ptr<Search> Search::fork() const {
  Budget budget = budget_;
  budget.threads = 1;
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

std::vector<Score> Search::evaluate(std::span<const Plan> plans) {
  std::vector<Score> scores;
  scores.reserve(plans.size());
  std::size_t piece = static_cast<std::size_t>(std::max(budget_.threads, 1));
  while (scores.size() < plans.size()) {
    const std::size_t done = scores.size();
    const std::size_t count = allowed_of(std::min(piece, plans.size() - done));
    if (count == 0) break;
    const Clock::time_point started = Clock::now();
    for (const Score& score : evaluator_->evaluate(plans.subspan(done, count))) {
      keep(plans[scores.size()], score);
      scores.push_back(score);
    }
    evaluations_ += count;
    if (Clock::now() - started < kPieceTime / 2) piece *= 2;
    tick();
  }
  return scores;
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
