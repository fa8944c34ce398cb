// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/swarm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "plan/coarsen/grouping.h"
#include "plan/order/ranks.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr std::size_t kElites = 2;
constexpr double kUnionShare = 0.4, kStretchShare = 0.1;                // of a batch; the rest are moves
constexpr double kUnitsShare = 0.4;                                     // of the rounds; the others move groups
constexpr double kSmallestGroup = 1.0 / 1000, kLargestGroup = 1.0 / 6;  // of the work of one device
constexpr std::size_t kMostHelped = 512, kLargestUnion = 128;
constexpr double kFading = 0.7;              // of a gain from one round of its plan to the next
constexpr int kPatience = 3;                 // rounds without a gain before a plan may become worse
constexpr double kSlack = 0.002;             // that much, at first
constexpr double kOrdersShare = 0.25;        // of the rounds end with orders
constexpr std::size_t kOrdersOf = 32;        // their batch is this part of the others
constexpr double kNoise = 0.02;              // of ranks that are shaken
constexpr std::size_t kMostMovedOps = 1024;  // per plan of a batch, on average: what is uploaded and kept

std::size_t best_of(const BatchScores& scores) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) best = scores.better(i, best) ? i : best;
  return best;
}

}  // namespace

void MovedPlans::begin(const Plan& plan) {
  base.clear();
  for (const DeviceId device : plan.device_of) base.push_back(static_cast<std::uint8_t>(index(device)));
  first_move.assign(1, 0);
  moves.clear();
}

void MovedPlans::end_plan() { first_move.push_back(static_cast<std::uint32_t>(moves.size())); }
void MovedPlans::drop_plan() { moves.resize(first_move.back()); }

std::span<const BatchMove> MovedPlans::of(std::size_t plan) const {
  return std::span(moves).subspan(first_move[plan], first_move[plan + 1] - first_move[plan]);
}

PlanBatch MovedPlans::batch(std::span<const double> priorities) const {
  return {.size = size(), .base = base, .first_move = first_move, .moves = moves, .priorities = priorities};
}

Swarm::Swarm(Search& search, Rng rng, std::size_t batch, const DirectedMoves& directed)
    : search_(search),
      problem_(search.problem()),
      domains_(problem_),
      directed_(directed),
      rng_(rng),
      batch_(std::max<std::size_t>(batch, 2)),
      has_limits_(has_limits(problem_)),
      units_(problem_, one_group_per_unit(problem_)),
      picks_(problem_, rng_.fork()),
      hot_(problem_),
      draft_(problem_, Plan()) {
  Picoseconds work = 0;
  for (std::uint32_t group = 0; group < units_.size(); ++group) work += units_.work(group);
  device_share_ = static_cast<double>(work) / static_cast<double>(worker_devices(problem_).size());
}

void Swarm::improve(const Plan& start, double end) {
  const Search::Part part(search_, end);
  begin_ = search_.progress();
  end_ = end;
  std::vector<Elite> elites(kElites);
  for (Elite& elite : elites) stand_at(elite, start);
  if (units_.movable().empty()) return;
  for (std::size_t round = 0; !search_.should_stop() && !search_.at_lower_bound(); ++round) {
    Elite& elite = elites[round % kElites];
    run_round(elite, elites[(round + 1) % kElites]);
    if (elite.rounds_without_gain > 2 * kPatience && better(search_.best_score(), elite.score)) {
      elite.bank.clear();
      elite.rounds_without_gain = 0;
      stand_at(elite, search_.best_plan());
    }
  }
}

void Swarm::stand_at(Elite& elite, Plan plan) {
  elite.score = search_.evaluate(plan);
  elite.plan = std::move(plan);
}

Plan Swarm::Elite::with(std::span<const BatchMove> moves) const {
  Plan changed = plan;
  for (const BatchMove& move : moves) changed.device_of[move.op] = DeviceId(move.device);
  return changed;
}

void Swarm::run_round(Elite& elite, const Elite& other) {
  take_level(elite);
  look_at(elite);
  plans_.begin(elite.plan);
  single_.clear();
  for (std::size_t tries = 0; plans_.size() < batch_ && tries < 2 * batch_; ++tries) {
    if (plans_.moves.size() > kMostMovedOps * batch_) break;
    propose(elite, other);
  }
  if (plans_.size() == 0) return search_.count_evaluations(1);  // or the budget would never end
  const BatchScores& scores = search_.evaluate(plans_.batch(elite.plan.priority));
  if (scores.size() == 0) return;
  learn(elite, scores);
  go_on(elite, scores);
  if (!search_.should_stop() && rng_.chance(kOrdersShare)) try_orders(elite);
}

void Swarm::take_level(const Elite& elite) {
  groups_.reset();
  if (rng_.chance(kUnitsShare)) return;
  const double share = kSmallestGroup * std::pow(kLargestGroup / kSmallestGroup, rng_.uniform());
  const GroupLimits limits{.work = static_cast<Picoseconds>(device_share_ * share), .within = &elite.plan};
  groups_.emplace(problem_, join_heavy_tensors(problem_, one_group_per_unit(problem_), limits));
  if (groups_->movable().empty()) groups_.reset();
}

void Swarm::look_at(const Elite& elite) {
  const Level& level = groups_ ? *groups_ : units_;
  picks_.take(level);
  picks_.look_at(elite.score);
  draft_.stand_at(elite.plan);
  hot_.clear();
  if (problem_.objective() == Objective::kStep) hot_.find(level, elite.plan);
}

void Swarm::propose(const Elite& elite, const Elite& other) {
  const double kind = rng_.uniform();
  if (kind < kUnionShare && elite.bank.size() > 1) {
    propose_union(elite);
  } else if (kind < kUnionShare + kStretchShare && other.plan != elite.plan) {
    propose_stretch(elite, other);
  } else {
    propose_move(elite);
  }
}

void Swarm::propose_move(const Elite& elite) {
  const Level& level = groups_ ? *groups_ : units_;
  const MoveContext context{problem_, domains_, directed_, level, hot_, elite.score, draft_, picks_};
  draft_.begin(elite.score);
  berth::propose_move(context);
  const bool balances = directed_.balance && problem_.objective() == Objective::kStep;
  const bool is_plan =
      draft_.num_moved() > 0 && !draft_.is_reordered() && (!balances || balance_work(context, elite.score.step_time));
  if (is_plan) draft_.list_moves(level, plans_.moves);
  draft_.undo(level);
  if (end_plan(elite)) single_.push_back(static_cast<std::uint32_t>(plans_.size() - 1));
}

void Swarm::propose_union(const Elite& elite) {
  const std::size_t most = std::min(elite.bank.size(), kLargestUnion);
  const std::size_t wanted = std::max<std::size_t>(2, picks_.log_uniform(most));
  for (std::size_t i = 0; i < wanted; ++i) {
    const double u = rng_.uniform();
    const auto& helped = elite.bank[static_cast<std::size_t>(static_cast<double>(elite.bank.size()) * u * u)];
    plans_.moves.insert(plans_.moves.end(), helped.moves.begin(), helped.moves.end());
  }
  end_plan(elite);
}

// Part of the topological order as the other plan has it.
void Swarm::propose_stretch(const Elite& elite, const Elite& other) {
  const auto movable = units_.movable();
  const std::size_t first = rng_.below(movable.size());
  const std::size_t last =
      std::min(first + picks_.log_uniform(std::max<std::size_t>(movable.size() / 8, 1)), movable.size());
  for (std::size_t i = first; i < last; ++i) {
    for (const OpId op : units_.ops(movable[i])) {
      const DeviceId device = other.plan.device(op);
      if (device == elite.plan.device(op)) continue;
      plans_.moves.push_back({static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(device)});
    }
  }
  end_plan(elite);
}

// What was proposed is a plan of the batch, unless it is nothing or breaks a limit.
bool Swarm::end_plan(const Elite& elite) {
  const bool is_plan = plans_.is_begun() && (!has_limits_ || !verify(problem_, elite.with(plans_.last())));
  if (is_plan) {
    plans_.end_plan();
  } else {
    plans_.drop_plan();
  }
  return is_plan;
}

// What helped is kept for unions.
void Swarm::learn(Elite& elite, const BatchScores& scores) {
  for (Helped& helped : elite.bank) helped.gain *= kFading;
  const PlanValue now = value_of(elite.score);
  std::vector<std::uint32_t> helpers;
  for (const std::uint32_t i : single_) {
    if (i < scores.size() && value_of(scores, i) < now) helpers.push_back(i);
  }
  std::ranges::sort(helpers, {}, [&](std::uint32_t i) { return value_of(scores, i); });
  if (helpers.size() > kMostHelped) helpers.resize(kMostHelped);
  for (const std::uint32_t i : helpers) {
    const auto moves = plans_.of(i);
    const auto gain = static_cast<double>(elite.score.step_time - scores.step_time[i]);
    elite.bank.push_back({{moves.begin(), moves.end()}, gain});
  }
  std::ranges::stable_sort(elite.bank, std::ranges::greater(), &Helped::gain);
  if (elite.bank.size() > kMostHelped) elite.bank.resize(kMostHelped);
}

// Of the plans of the batch that are hardly worse than the best known, less so as time goes by, any.
std::optional<std::size_t> Swarm::any_that_is_near(const BatchScores& scores) {
  const double done = std::clamp((search_.progress() - begin_) / std::max(end_ - begin_, 1e-9), 0.0, 1.0);
  const double limit = static_cast<double>(search_.best_score().step_time) * (1.0 + kSlack * (1.0 - done));
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores.feasible(i) && static_cast<double>(scores.step_time[i]) <= limit) near.push_back(i);
  }
  return near.empty() ? std::nullopt : std::optional(near[rng_.below(near.size())]);
}

// To the best of the batch; where that was no better for some rounds, to any that is hardly worse.
void Swarm::go_on(Elite& elite, const BatchScores& scores) {
  std::optional<std::size_t> next = best_of(scores);
  if (value_of(scores, *next) < value_of(elite.score)) {
    elite.rounds_without_gain = 0;
  } else if (++elite.rounds_without_gain < kPatience) {
    return;
  } else {
    next = any_that_is_near(scores);
  }
  if (next) stand_at(elite, elite.with(plans_.of(*next)));
}

// Upward ranks of the plan as it is now, as they are and shaken, and its own order with some groups earlier or later.
void Swarm::try_orders(Elite& elite) {
  const std::vector<double> ranks = upward_ranks(problem_, elite.plan);
  const std::vector<double>& own = elite.plan.priority.empty() ? ranks : elite.plan.priority;
  GatheredPlans orders;
  Plan plan = elite.plan;
  for (std::size_t i = 0; i < std::max<std::size_t>(batch_ / kOrdersOf, 1); ++i) {
    const std::size_t shifts = i % 4;
    plan.priority = shifts == 0 ? ranks : own;
    if (shifts == 0 && i > 0) shake(plan.priority);
    for (std::size_t k = 0; k < shifts; ++k) shift_group(plan.priority);
    orders.add(plan);
  }
  const BatchScores& scores = search_.evaluate(orders.batch());
  if (scores.size() == 0) return;
  const std::size_t best = best_of(scores);
  if (value_of(scores, best) >= value_of(elite.score)) return;
  orders.batch().read(best, plan);
  stand_at(elite, std::move(plan));
  elite.rounds_without_gain = 0;
}

void Swarm::shake(std::vector<double>& priorities) {
  const double noise = kNoise * rng_.uniform();
  for (double& priority : priorities) priority *= 1.0 + noise * rng_.uniform();
}

void Swarm::shift_group(std::vector<double>& priorities) {
  const Level& level = groups_ ? *groups_ : units_;
  const double longest = *std::ranges::max_element(priorities);
  const double by = (rng_.uniform() - 0.5) * longest * std::pow(10.0, -3.0 * rng_.uniform());
  const std::uint32_t group = level.movable()[rng_.below(level.movable().size())];
  for (const OpId op : level.ops(group)) priorities[index(op)] += by;
}

}  // namespace berth
