// SPDX-License-Identifier: Apache-2.0
// Annealer: simulated annealing over the groups of a level, judged by the search's evaluator. It owns a present plan
// and walks from there; the search remembers the best plan seen.
//
// Each step is a move (plan/refine/moves.h has the table of them). Where a device would get more work than the step may
// take, it gives other groups away in return (balance_work). A move is taken if it is at most a slack above
// the best so far (record-to-record travel, Dueck 1993), a slack that shrinks with time. So the limit is known before
// the evaluation, and a bad move costs a fraction of a simulation.
//
// What is over capacity has a price per byte, so a walk may cross plans that do not fit. The price doubles again and
// again while no plan of the run fits: in the end any plan that fits is better than any that does not.
#pragma once

#include <cstdint>

#include "base/rng.h"
#include "plan/coarsen/level.h"
#include "plan/refine/draft.h"
#include "plan/refine/hot_spots.h"
#include "plan/refine/moves.h"
#include "plan/refine/picks.h"
#include "plan/search/search.h"
#include "problem/memory_domains.h"

namespace berth {

class Annealer {
 public:
  struct Heat {  // slack as a share of the best step time
    double start = 0.02;
    double end = 0.001;
  };

  // The plan must pass verify() and fuse nothing.
  Annealer(Search& search, Rng rng, Plan start, const DirectedMoves& directed = {});

  // Until `end` of the search's budget is used (Search::progress) or the lower bound is reached, cooling on the way.
  // Stands at the best plan of the run then. The present plan must have every group of the level on one device.
  void run(const Level& level, const Heat& heat, double end);

  [[nodiscard]] const Plan& plan() const { return draft_.plan(); }
  [[nodiscard]] const Score& score() const { return score_; }
  void stand_at(const Plan& plan, const Score& score);
  // Tries upward ranks of the present plan as priorities; keeps them if they help.
  void retune_priorities();

 private:
  [[nodiscard]] double energy_of(const Score& score) const;
  [[nodiscard]] bool beats_best() const;
  void remember_best();
  void raise_price();
  void start(const Level& level);
  void look_around(const Level& level);
  void step(const Level& level, double slack);
  [[nodiscard]] bool complete(const MoveContext& context, double threshold) const;
  [[nodiscard]] bool accepts(double threshold);

  Search& search_;
  const DirectedMoves directed_;
  const Problem& problem_;
  const MemoryDomains domains_;
  Picks picks_;
  HotSpots hot_;
  Draft draft_;  // the present plan
  Score score_;
  double energy_ = 0.0;
  Plan best_plan_;  // of the run
  Score best_score_;
  double best_energy_ = 0.0;
  double bytes_price_ = 0.0;  // picoseconds per byte over capacity
  bool has_limits_ = false;   // on devices or crossings: moves must be verified
  std::uint64_t since_look_ = 0, since_price_ = 0;
  double acceptance_ = 0.5;  // running mean
  bool moved_since_look_ = true, moved_since_rebase_ = true;
};

}  // namespace berth
