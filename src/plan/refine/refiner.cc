// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/refiner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>

#include "plan/baselines/expert.h"
#include "plan/baselines/simple_planners.h"
#include "plan/coarsen/level.h"
#include "plan/layers/layers.h"
#include "plan/layers/repeated_layers.h"
#include "plan/search/placement.h"

namespace berth {

// Largest groups as a share of the work of one device; the end of each level as a share of its cycle; how much slack it
// has compared with the first.
struct Rung {
  double share, end, heat;
};

struct Ladder {
  double heat;  // slack of the first level, as a share of the step time: the fewer evaluations, the less pays
  std::span<const Rung> rungs;
  bool whole_layers = true;  // a level of these comes first
};

namespace {

constexpr std::array kUsualRungs{Rung{1.0 / 6, 0.25, 1.0}, Rung{1.0 / 20, 0.45, 0.4}, Rung{1.0 / 80, 0.65, 0.15},
                                 Rung{1.0 / 400, 0.85, 0.06}, Rung{0.0, 1.0, 0.02}};
constexpr std::array kHurriedRungs{Rung{1.0 / 3, 0.15, 1.0},  Rung{1.0 / 6, 0.30, 1.0},   Rung{1.0 / 6, 0.45, 0.6},
                                   Rung{1.0 / 20, 0.65, 0.4}, Rung{1.0 / 80, 0.85, 0.15}, Rung{1.0 / 400, 0.95, 0.06},
                                   Rung{0.0, 1.0, 0.02}};
constexpr std::array kFinishingRungs{Rung{1.0 / 400, 0.4, 0.5}, Rung{0.0, 1.0, 0.2}};
constexpr Ladder kUsual{0.02, kUsualRungs}, kHurried{0.005, kHurriedRungs}, kFinishing{0.005, kFinishingRungs, false};
constexpr double kLeastHeat = 0.005;
constexpr double kCooling = 20;                          // slack at the start of a level over slack at its end
constexpr double kLayersEnd = 0.08, kRepeatsEnd = 0.13;  // of a cycle
constexpr double kShortestCycle = 0.15;                  // of the budget

const Ladder& ladder_of(Pace pace) {
  if (pace == Pace::kUsual) return kUsual;
  return pace == Pace::kHurried ? kHurried : kFinishing;
}

Annealer::Heat from(double heat) { return {heat, heat / kCooling}; }

}  // namespace

Refiner::Refiner(Search& search, Rng rng, const RefineOptions& options, std::size_t walkers)
    : search_(search),
      walkers_(search, walkers),
      annealers_(walkers),
      rng_(rng),
      options_(options),
      units_(one_group_per_unit(search.problem())) {
  const GroupWeights weights = weigh_groups(search.problem(), units_);
  const Picoseconds work = std::accumulate(weights.work.begin(), weights.work.end(), Picoseconds{0});
  device_share_ = static_cast<double>(work) / static_cast<double>(worker_devices(search.problem()).size());
  has_choice_ = std::ranges::any_of(units_.allowed, [](DeviceSet set) { return std::popcount(set) > 1; });
  if (!options_.layers && !options_.repeats) return;
  std::optional<Layers> layers = find_layers(search.problem().graph());
  if (layers && options_.repeats) repeats_ = repeated_places(search.problem().graph(), *layers);
  if (options_.layers) layers_ = std::move(layers);
}

Plan Refiner::improve_once(const Plan& start, double end, Pace pace) {
  const Ladder& ladder = ladder_of(pace);
  start_at(start);
  cycle(ladder, ladder.heat, end);
  return annealers_.front()->plan();
}

void Refiner::improve(const Plan& start, double end) {
  start_at(start);
  double heat = kUsual.heat;
  while (!search_.should_stop() && search_.progress() < end && !search_.at_lower_bound()) {
    const double left = end - search_.progress();
    cycle(kUsual, heat, left < 2 * kShortestCycle ? end : search_.progress() + left / 2);
    if (!has_choice_) return;
    heat = std::max(heat / 2, kLeastHeat);
  }
}

void Refiner::start_at(const Plan& start) {
  std::vector<Rng> rngs;
  for (std::size_t i = 0; i < walkers_.size(); ++i) rngs.push_back(rng_.fork());
  walkers_.for_each(walkers_.size(), [&](Search& walker, std::size_t i) {
    annealers_[i].emplace(walker, rngs[i], start, options_.moves);
  });
}

void Refiner::cycle(const Ladder& ladder, double heat, double end) {
  const double begin = search_.progress();
  const auto until = [&](double share) { return begin + (end - begin) * share; };
  if (layers_ && ladder.whole_layers) run_level(whole_layers(annealers_.front()->plan()), heat, until(kLayersEnd));
  if (repeats_) run_level(places_of_repeats(annealers_.front()->plan()), heat, until(kRepeatsEnd));
  for (const Rung& rung : ladder.rungs) {
    const bool is_units = rung.share == 0;
    if (is_units ? !options_.units : !options_.groups) continue;
    const double share = rung.share * std::exp(rng_.uniform() - 0.5);  // other groups in every cycle
    run_level(grow(annealers_.front()->plan(), share), heat * rung.heat, until(rung.end));
  }
}

void Refiner::run_level(Grouping grouping, double heat, double end) {
  if (search_.should_stop() || search_.at_lower_bound()) return;
  const Level level(search_.problem(), std::move(grouping));
  walkers_.for_each(walkers_.size(), [&](Search&, std::size_t i) {
    if (!annealers_[i]) return;  // that walker ran out of memory
    if (options_.priorities) annealers_[i]->retune_priorities();
    annealers_[i]->run(level, from(heat), end);
  });
  share_best();
}

void Refiner::share_best() {
  const Annealer* best = &*annealers_.front();
  for (const auto& annealer : annealers_) {
    if (annealer && better(annealer->score(), best->score())) best = &*annealer;
  }
  for (auto& annealer : annealers_) {
    if (annealer && annealer->plan() != best->plan()) annealer->stand_at(best->plan(), best->score());
  }
}

Grouping Refiner::grow(const Plan& within, double share) const {
  const GroupLimits limits{.work = static_cast<Picoseconds>(device_share_ * share), .within = &within};
  return join_heavy_tensors(search_.problem(), units_, limits);
}

Grouping Refiner::whole_layers(const Plan& within) const {
  return join_equal_labels(search_.problem(), units_, layers_->of_op, {.within = &within});
}

Grouping Refiner::places_of_repeats(const Plan& within) const {
  return join_equal_labels(search_.problem(), units_, *repeats_, {.within = &within});
}

Result<Plan> AnnealPlanner::plan(Search& search) {
  const std::optional<Plan> given = search.has_best() ? std::optional(search.best_plan()) : std::nullopt;
  const Result<Plan> single = SinglePlanner().plan(search);
  const Result<Plan> expert = ExpertPlanner().plan(search);
  if (!search.has_best()) return single.error();
  const bool from_given = given && search.best_plan() == *given;
  const bool from_single = !expert || (single && search.best_plan() == *single);
  Refiner(search, Rng(search.budget().seed)).improve_once(search.best_plan(), 1.0);
  search.set_note(fmt::format("annealed from {}", from_given    ? "the given plan"
                                                  : from_single ? "one device"
                                                                : "the layer rule"));
  return search.best_plan();
}

}  // namespace berth
