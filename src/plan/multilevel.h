// SPDX-License-Identifier: Apache-2.0
// Multilevel refinement: a plan is improved by moving whole layers first, then groups grown along the heaviest tensors,
// smaller and smaller down to single units (of what takes time), each level by an Annealer that simulates every move;
// then again from the top. Groups are grown inside the present plan, only among units that share a device, so no level
// undoes what the one before it found, and a later cycle moves whole pieces of the plan as it has become.
#pragma once

#include <optional>

#include "base/rng.h"
#include "plan/annealer.h"
#include "plan/layers.h"
#include "plan/planner.h"

namespace berth {

struct RefineOptions {
  bool layers = true;      // a level of whole layers, where the graph names layers
  bool priorities = true;  // upward ranks of the present plan as priorities
};

class Refiner {
 public:
  Refiner(Search& search, Rng rng, const RefineOptions& options = {});

  // Once through all levels, from `start`, until `end` of the budget (Search::progress); the plan it came to.
  Plan improve_once(const Plan& start, double end);
  // Through all levels again and again until `end` of the budget. The search keeps the best.
  void improve(const Plan& start, double end);

 private:
  void cycle(Annealer& annealer, double heat, double end);
  void run_level(Annealer& annealer, Grouping grouping, double heat, double end);
  [[nodiscard]] Grouping grow(const Plan& within, double share) const;
  [[nodiscard]] Grouping whole_layers(const Plan& within) const;

  Search& search_;
  Rng rng_;
  RefineOptions options_;
  Grouping units_;
  std::optional<Layers> layers_;
  bool has_choice_ = false;    // some unit may be on more than one device
  double device_share_ = 0.0;  // work of one device if all had the same
};

}  // namespace berth
