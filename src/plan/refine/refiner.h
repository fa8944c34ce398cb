// SPDX-License-Identifier: Apache-2.0
// Multilevel refinement: a plan is improved by moving whole layers first, then groups grown along the heaviest tensors,
// smaller and smaller down to single units (of what takes time), each level by an Annealer that simulates every move;
// then again from the top. Groups are grown inside the present plan, only among units that share a device, so no level
// undoes what the one before it found, and a later cycle moves whole pieces of the plan as it has become.
//
// Several walkers (plan/search/walkers.h) take each level from the same plan, each by its own chance; the next level
// starts from the best of them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "plan/layers/layers.h"
#include "plan/planner.h"
#include "plan/refine/annealer.h"
#include "plan/search/walkers.h"

namespace berth {

struct RefineOptions {
  bool layers = true;      // a level of whole layers, where the graph names layers
  bool groups = true;      // levels of grown groups, before that of single units
  bool units = true;       // the level of single units
  bool repeats = false;    // a level of the same places of repeated layers (plan/layers/repeated_layers.h)
  bool priorities = true;  // upward ranks of the present plan as priorities
  DirectedMoves moves = {};
};

// How the time of a cycle is shared out. Hurried is for graphs so large that few simulations fit into the budget: there
// the large groups decide, and single units, of which but a small part could be tried, get little. Finishing is for plans
// whose large groups are where they should be: small ones alone.
enum class Pace : std::uint8_t { kUsual, kHurried, kFinishing };

struct Ladder;

class Refiner {
 public:
  Refiner(Search& search, Rng rng, const RefineOptions& options = {}, std::size_t walkers = 1);

  // Once through all levels, from `start`, until `end` of the budget (Search::progress); the plan it came to.
  Plan improve_once(const Plan& start, double end, Pace pace = Pace::kUsual);
  // Through all levels again and again until `end` of the budget. The search keeps the best.
  void improve(const Plan& start, double end);

 private:
  void start_at(const Plan& start);
  void cycle(const Ladder& ladder, double heat, double end);
  void run_level(Grouping grouping, double heat, double end);
  void share_best();
  [[nodiscard]] Grouping grow(const Plan& within, double share) const;
  [[nodiscard]] Grouping whole_layers(const Plan& within) const;
  [[nodiscard]] Grouping places_of_repeats(const Plan& within) const;

  Search& search_;
  Walkers walkers_;
  std::vector<std::optional<Annealer>> annealers_;  // one per walker
  Rng rng_;
  RefineOptions options_;
  Grouping units_;
  std::optional<Layers> layers_;
  std::optional<std::vector<std::uint32_t>> repeats_;  // label of every op
  bool has_choice_ = false;                            // some unit may be on more than one device
  double device_share_ = 0.0;                          // work of one device if all had the same
};

// `anneal`: simulated annealing from the better of `single` and `expert`, over groups grown along the heaviest tensors,
// from a handful of large ones to single units: once through all levels.
//
// Cost: the whole budget, unless the lower bound is reached. Source: Kirkpatrick, Gelatt and Vecchi, 1983, with the
// thresholds of Dueck, 1993. Where it loses: one walk from one start; `auto` has more starts and revisits coarse
// levels.
class AnnealPlanner : public Planner {
 public:
  Result<Plan> plan(Search& search) override;
};

}  // namespace berth
