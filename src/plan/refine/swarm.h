// SPDX-License-Identifier: Apache-2.0
// Swarm: a plan is improved by whole batches of changes, judged side by side: a few thousand at once on a GPU take
// hardly longer than one. A round looks at one of a few plans. Part of its batch are moves of the annealer
// (plan/refine/moves.h), over groups of a size that changes from round to round; part are unions of moves that each
// helped in the rounds before; part are stretches as another of the plans has them. The best of the batch is where the
// plan goes on. Orders of ready ops are tried in a smaller batch of their own.
//
// Determined by seed, size of the batches and evaluations alone, whatever judges them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "plan/coarsen/level.h"
#include "plan/refine/hot_spots.h"
#include "plan/refine/moves.h"
#include "plan/search/best_plan.h"
#include "plan/search/search.h"
#include "problem/memory_domains.h"

namespace berth {

// Plans of a batch as moves of a base.
struct MovedPlans {
  std::vector<std::uint8_t> base;
  std::vector<std::uint32_t> first_move{0};
  std::vector<BatchMove> moves;

  void begin(const Plan& plan);
  [[nodiscard]] std::size_t size() const { return first_move.size() - 1; }
  // What was added to `moves` since the last plan: the next one, a plan, or nothing.
  [[nodiscard]] bool is_begun() const { return moves.size() > first_move.back(); }
  [[nodiscard]] std::span<const BatchMove> last() const { return std::span(moves).subspan(first_move.back()); }
  void end_plan();
  void drop_plan();
  [[nodiscard]] std::span<const BatchMove> of(std::size_t plan) const;
  [[nodiscard]] PlanBatch batch(std::span<const double> priorities) const;
};

class Swarm {
 public:
  // The plan must pass verify() and fuse nothing.
  Swarm(Search& search, Rng rng, std::size_t batch, const DirectedMoves& directed = {});

  // Until `end` of the budget (Search::progress). The search keeps the best.
  void improve(const Plan& start, double end);

 private:
  struct Helped {  // a change that made a plan better
    std::vector<BatchMove> moves;
    double gain;  // picoseconds, less from round to round
  };
  struct Elite {
    Plan plan;
    Score score;
    std::vector<Helped> bank;  // most gain first
    int rounds_without_gain = 0;

    [[nodiscard]] Plan with(std::span<const BatchMove> moves) const;
  };

  void run_round(Elite& elite, const Elite& other);
  void look_at(const Elite& elite);
  void take_level(const Elite& elite);
  void propose(const Elite& elite, const Elite& other);
  void propose_move(const Elite& elite);
  void propose_union(const Elite& elite);
  void propose_stretch(const Elite& elite, const Elite& other);
  bool end_plan(const Elite& elite);
  void learn(Elite& elite, const BatchScores& scores);
  void go_on(Elite& elite, const BatchScores& scores);
  [[nodiscard]] std::optional<std::size_t> any_that_is_near(const BatchScores& scores);
  void try_orders(Elite& elite);
  void shake(std::vector<double>& priorities);
  void shift_group(std::vector<double>& priorities);
  void stand_at(Elite& elite, Plan plan);

  Search& search_;
  const Problem& problem_;
  const MemoryDomains domains_;
  const DirectedMoves directed_;
  Rng rng_;
  const std::size_t batch_;
  const bool has_limits_;
  Level units_;
  std::optional<Level> groups_;  // of the round; nothing: the units
  double device_share_ = 0.0;    // work of one device if all had the same
  Picks picks_;
  HotSpots hot_;
  Draft draft_;
  MovedPlans plans_;
  std::vector<std::uint32_t> single_;  // plans of the batch that are one move, not a union or a stretch
  double begin_ = 0.0, end_ = 1.0;
};

}  // namespace berth
