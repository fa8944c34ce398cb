// SPDX-License-Identifier: Apache-2.0
// Annealer: simulated annealing over the groups of a level, judged by the search's evaluator. It owns a present plan
// and walks from there; the search remembers the best plan seen.
//
// Most moves are directed: at groups on the critical path of the present plan (to where their inputs come from, to
// where their output goes, off a device they wait for) and, while memory overflows, at the fullest device. The rest
// move stretches of the topological order, clusters of neighbours, single groups and pairs at random. Where a device
// would get more work than the step may take, it gives other groups away in return. A move is taken if it is at most a
// slack above the best so far (record-to-record travel, Dueck 1993), a slack that shrinks with time. So the limit is
// known before the evaluation, and a bad move costs a fraction of a simulation.
//
// What is over capacity has a price per byte, so a walk may cross plans that do not fit. The price doubles again and
// again while no plan of the run fits: in the end any plan that fits is better than any that does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "cost/memory_domains.h"
#include "plan/coarsen/level.h"
#include "plan/planner.h"
#include "sim/critical_path.h"

namespace berth {

class Annealer {
 public:
  struct Heat {  // slack as a share of the best step time
    double start = 0.02;
    double end = 0.001;
  };

  struct Moves {  // kinds of directed moves
    bool critical_path = true;
    bool order = true;   // of ops that wait for each other on the critical path
    bool relief = true;  // of memory that overflows
    bool balance = true;  // what would overload a device is made good by other moves
  };

  // The plan must pass verify() and fuse nothing.
  Annealer(Search& search, Rng rng, Plan start, const Moves& moves);
  Annealer(Search& search, Rng rng, Plan start) : Annealer(search, rng, std::move(start), Moves()) {}

  // Until `end` of the search's budget is used (Search::progress) or the lower bound is reached, cooling on the way.
  // Stands at the best plan of the run then. The present plan must have every group of the level on one device.
  void run(const Level& level, const Heat& heat, double end);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Score& score() const { return score_; }
  void stand_at(const Plan& plan, const Score& score);
  // Tries upward ranks of the present plan as priorities; keeps them if they help.
  void retune_priorities();

 private:
  struct Change {
    std::uint32_t group;
    DeviceId before;
  };
  struct Hot {  // a group on the critical path and what its place there suggests
    std::uint32_t group;
    DeviceId towards;  // kNoDevice: away from where it is
  };
  struct Wait {  // an op on the critical path, and one that had its device shortly before
    OpId waiting, ahead;
  };
  struct OrderChange {
    OpId op;
    double before;
  };

  [[nodiscard]] double energy_of(const Score& score) const;
  [[nodiscard]] bool beats_best() const;
  void remember_best();
  void raise_price();
  void weigh(const Level& level);
  [[nodiscard]] std::uint32_t pick_group(const Level& level);
  void step(const Level& level, double slack);
  void propose(const Level& level);
  void propose_hot(const Level& level);
  void propose_relief(const Level& level);
  [[nodiscard]] double price_of_leaving(const Level& level, std::uint32_t group, DeviceSet devices) const;
  void propose_stretch(const Level& level);
  void propose_cluster(const Level& level);
  void propose_swap(const Level& level);
  void measure_loads();
  [[nodiscard]] bool is_over(DeviceId device, Picoseconds most) const;
  [[nodiscard]] DeviceId first_over(Picoseconds most) const;
  [[nodiscard]] DeviceId with_most_room(Picoseconds most) const;
  [[nodiscard]] bool balance(const Level& level, Picoseconds most);
  [[nodiscard]] bool give_away(const Level& level, DeviceId from, DeviceId to);
  void propose_order();
  void set_priority(OpId op, double priority);
  void move(const Level& level, std::uint32_t group, DeviceId device);
  void undo(const Level& level);
  void refresh_hot(const Level& level);
  void refresh_appeal();
  void add_waits(std::span<const CriticalStep> path, std::size_t i);
  [[nodiscard]] DeviceId device_of(const Level& level, std::uint32_t group) const;
  [[nodiscard]] DeviceId pick_device(DeviceSet allowed);
  [[nodiscard]] DeviceId pick_near(const Level& level, std::uint32_t group);
  [[nodiscard]] bool breaks_limits() const;

  Search& search_;
  const Moves moves_;
  const Problem& problem_;
  const MemoryDomains domains_;
  Rng rng_;
  Simulator tracer_;       // for timelines
  Plan plan_, best_plan_;  // of the run
  Score score_, best_score_;
  double energy_ = 0.0, best_energy_ = 0.0;
  std::vector<double> work_until_;  // running sum over the movable groups
  double bytes_price_ = 0.0;        // picoseconds per byte over capacity
  std::vector<double> speed_;       // per device: how well it does the work it may do
  std::vector<double> appeal_;      // per device: the chance to be picked as a target
  bool has_limits_ = false;         // on devices or crossings: moves must be verified
  std::vector<Change> changes_;     // of the move at hand
  std::vector<OrderChange> order_changes_;
  std::vector<Hot> hot_;
  std::vector<Wait> waits_;
  std::vector<Picoseconds> load_;  // per device: its work per lane, of the move at hand
  std::vector<std::uint32_t> cluster_;  // workspace
  std::uint64_t since_refresh_ = 0, since_price_ = 0;
  double acceptance_ = 0.5;  // running mean
  bool moved_since_refresh_ = true, moved_since_rebase_ = true;
};

}  // namespace berth
