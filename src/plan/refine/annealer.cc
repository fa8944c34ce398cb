// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/annealer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/order/ranks.h"
#include "plan/refine/moves.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr double kOverflowThatDoubles = 0.02;  // share of the smallest memory over which the energy doubles at first
constexpr double kHighestPrice = 100;          // of a byte, in steps
constexpr std::uint64_t kPriceEvery = 50;      // moves without a plan that fits before the price doubles
constexpr std::uint64_t kLookEvery = 100;      // moves between looks at the critical path
constexpr double kRareAcceptance = 0.2;        // below it a new base pays
constexpr double kAcceptanceMemory = 0.02;     // what the last move counts in the running mean

double slack_at(const Annealer::Heat& heat, double done) {
  return heat.start > 0 ? heat.start * std::pow(heat.end / heat.start, done) : 0.0;
}

Bytes smallest_memory(const Problem& problem) {
  Bytes smallest = std::numeric_limits<Bytes>::max();
  for (const DeviceId device : problem.machine().device_ids()) smallest = std::min(smallest, problem.capacity(device));
  return std::max<Bytes>(smallest, 1);
}

// In picoseconds; a step without any still needs a price for memory.
double length_of(const Score& score) { return static_cast<double>(std::max<Picoseconds>(score.step_time, 1)); }

}  // namespace

Annealer::Annealer(Search& search, Rng rng, Plan start, const DirectedMoves& directed)
    : search_(search),
      directed_(directed),
      problem_(search.problem()),
      domains_(problem_),
      picks_(problem_, rng),
      hot_(problem_),
      draft_(problem_, std::move(start)),
      has_limits_(has_limits(problem_)) {
  score_ = search_.evaluate(draft_.plan());
  bytes_price_ = length_of(score_) / (kOverflowThatDoubles * static_cast<double>(smallest_memory(problem_)));
  energy_ = energy_of(score_);
}

double Annealer::energy_of(const Score& score) const {
  const double over = score.feasible ? 0.0 : static_cast<double>(score.overflow->over);
  return static_cast<double>(score.step_time) + over * bytes_price_;
}

void Annealer::stand_at(const Plan& plan, const Score& score) {
  draft_.stand_at(plan);
  score_ = score;
  energy_ = energy_of(score_);
  moved_since_look_ = moved_since_rebase_ = true;
}

void Annealer::retune_priorities() {
  Plan ranked = draft_.plan();
  ranked.priority = upward_ranks(problem_, draft_.plan());
  const Score& score = search_.evaluate(ranked);
  if (energy_of(score) >= energy_) return;
  stand_at(ranked, score);
}

void Annealer::run(const Level& level, const Heat& heat, double end) {
  if (level.movable().empty()) return;
  const Search::Part part(search_, end);
  const double begin = search_.progress();
  start(level);
  while (!search_.should_stop() && !search_.at_lower_bound()) {
    const double done = std::clamp((search_.progress() - begin) / std::max(end - begin, 1e-9), 0.0, 1.0);
    step(level, slack_at(heat, done));
  }
  stand_at(best_plan_, best_score_);
}

void Annealer::start(const Level& level) {
  remember_best();
  picks_.take(level);
  hot_.clear();
  moved_since_look_ = true;
  since_look_ = kLookEvery;
}

bool Annealer::beats_best() const {
  if (score_.feasible != best_score_.feasible) return score_.feasible;
  return energy_ < best_energy_;
}

void Annealer::remember_best() {
  best_plan_ = draft_.plan();
  best_score_ = score_;
  best_energy_ = energy_;
}

void Annealer::raise_price() {
  since_price_ = 0;
  bytes_price_ = std::min(2 * bytes_price_, kHighestPrice * length_of(best_score_));
  energy_ = energy_of(score_);
  best_energy_ = energy_of(best_score_);
  if (beats_best()) remember_best();
}

// At the present plan: where there is time to spare, and what its critical path suggests.
void Annealer::look_around(const Level& level) {
  moved_since_look_ = false;
  since_look_ = 0;
  picks_.look_at(score_);
  if (problem_.objective() == Objective::kStep) hot_.find(level, draft_.plan());
}

void Annealer::step(const Level& level, double slack) {
  if (moved_since_look_ && since_look_ >= kLookEvery) look_around(level);
  if (moved_since_rebase_ && acceptance_ < kRareAcceptance) {
    search_.rebase(draft_.plan());
    moved_since_rebase_ = false;
  }
  const MoveContext context{problem_, domains_, directed_, level, hot_, score_, draft_, picks_};
  draft_.begin(score_);
  propose_move(context);
  ++since_look_;
  if (!draft_.is_changed()) return search_.tick();
  const double threshold = std::min(best_energy_ * (1.0 + slack), kMostPicoseconds);
  if (!complete(context, threshold)) {
    search_.count_evaluations(1);  // or the budget would never end where no move is legal
    return draft_.undo(level);
  }
  if (!best_score_.feasible && ++since_price_ >= kPriceEvery) raise_price();
  if (!accepts(threshold)) return draft_.undo(level);
  moved_since_look_ = moved_since_rebase_ = true;
  if (beats_best()) remember_best();
}

// Makes up for work that the move gives to busy devices; false if that fails, or the plan breaks a limit.
bool Annealer::complete(const MoveContext& context, double threshold) const {
  const bool balances = directed_.balance && problem_.objective() == Objective::kStep;
  if (balances && !balance_work(context, static_cast<Picoseconds>(threshold))) return false;
  return !has_limits_ || !verify(problem_, draft_.plan());
}

// Evaluates the draft; what is accepted becomes the present plan.
bool Annealer::accepts(double threshold) {
  const Score* score = search_.evaluate_bounded(draft_.plan(), static_cast<Picoseconds>(threshold));
  const bool accepted = score != nullptr && energy_of(*score) <= threshold;
  acceptance_ += kAcceptanceMemory * ((accepted ? 1.0 : 0.0) - acceptance_);
  if (!accepted) return false;
  score_ = *score;
  energy_ = energy_of(score_);
  return true;
}

}  // namespace berth
