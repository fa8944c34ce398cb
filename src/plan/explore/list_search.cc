// SPDX-License-Identifier: Apache-2.0
#include "plan/explore/list_search.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "machine/device_set.h"
#include "plan/explore/list_decoder.h"
#include "plan/order/ranks.h"
#include "plan/search/best_plan.h"
#include "plan/search/placement.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// A disturbance changes all keys by up to this share of themselves, or moves up to so many ops.
constexpr double kMaxNoise = 0.15;
constexpr std::uint64_t kMaxMoves = 4;

struct List {
  std::vector<double> keys;      // indexed by op: higher first
  std::vector<DeviceId> wishes;  // indexed by op: kNoDevice where the decoder chooses
};

class ListSearch {
 public:
  explicit ListSearch(Search& search)
      : search_(search),
        problem_(search.problem()),
        table_(problem_),
        decoder_(table_),
        rng_(search.budget().seed),
        has_limits_(has_limits(problem_)) {}

  void run() {
    List present = start();
    PlanValue value = improve(present);
    List next;
    while (!is_done()) {
      next = present;
      disturb(next);
      const PlanValue next_value = improve(next);
      if (next_value > value) continue;
      value = next_value;
      std::swap(present, next);
    }
  }

 private:
  [[nodiscard]] bool is_done() const { return search_.should_stop() || search_.at_lower_bound(); }

  [[nodiscard]] List start() {
    List by_ranks{upward_ranks(problem_), std::vector<DeviceId>(table_.num_ops(), kNoDevice)};
    if (!search_.has_best()) return by_ranks;
    const PlanValue best = value_of(search_.best_score());
    List as_best = list_of(search_.best_plan());
    List trial = by_ranks;
    return improve(trial) < best ? trial : as_best;
  }

  // The order in which the simulator starts the ops of a plan, and its devices.
  [[nodiscard]] List list_of(const Plan& plan) const {
    const Timeline timeline = simulate_timeline(problem_, plan);
    List list;
    for (const OpId op : problem_.graph().ops()) {
      const Picoseconds start = timeline.op_end[index(op)] - problem_.duration(op, plan.device(op));
      list.keys.push_back(static_cast<double>(timeline.score.step_time - start));
    }
    if (table_.devices_differ()) {
      list.wishes = plan.device_of;
    } else {
      list.wishes.assign(table_.num_ops(), kNoDevice);
    }
    return list;
  }

  // Justifies a list twice, and keeps the better of both orders in it.
  PlanValue improve(List& list) {
    const PlanValue once = judge(decoder_.decode(list.keys, list.wishes, Direction::kForward));
    order_by_ends(decoder_.schedule());
    order_by_ends(decoder_.decode(justified_, list.wishes, Direction::kBackward));
    const PlanValue twice = judge(decoder_.decode(justified_, list.wishes, Direction::kForward));
    if (twice > once) return once;
    std::swap(list.keys, justified_);
    return twice;
  }

  // What ends last comes first on the way back; ties by chance.
  void order_by_ends(const Schedule& schedule) {
    justified_.clear();
    for (const Picoseconds end : schedule.end) justified_.push_back(static_cast<double>(end) + rng_.uniform());
  }

  PlanValue judge(const Schedule& schedule) {
    fill_plan(table_, schedule, plan_);
    if (has_limits_ && verify(problem_, plan_)) {
      search_.count_evaluations(1);  // so that a search where nothing is legal ends
      return {};
    }
    return value_of(search_.evaluate(plan_));
  }

  void disturb(List& list) {
    enum : std::uint8_t { kNoise, kSwap, kMove, kWish };
    const std::uint64_t kind = rng_.below(table_.devices_differ() ? 4 : 3);
    if (kind == kNoise) {
      const double share = kMaxNoise * rng_.uniform();
      for (double& key : list.keys) key *= 1 + share * (2 * rng_.uniform() - 1);
      return;
    }
    for (std::uint64_t left = 1 + rng_.below(kMaxMoves); left > 0; --left) {
      const std::size_t op = rng_.below(table_.num_ops()), other = rng_.below(table_.num_ops());
      if (kind == kSwap) std::swap(list.keys[op], list.keys[other]);
      if (kind == kMove) list.keys[op] = list.keys[other] + rng_.uniform() - 0.5;
      if (kind == kWish) list.wishes[op] = rng_.chance(0.5) ? kNoDevice : pick_device(problem_.allowed(OpId(op)));
    }
  }

  [[nodiscard]] DeviceId pick_device(DeviceSet allowed) {
    for (std::uint64_t skip = rng_.below(static_cast<std::uint64_t>(std::popcount(allowed))); skip > 0; --skip) {
      allowed &= allowed - 1;
    }
    return lowest_device(allowed);
  }

  Search& search_;
  const Problem& problem_;
  TaskTable table_;
  ListDecoder decoder_;
  Rng rng_;
  bool has_limits_;  // on devices or crossings: plans must be verified
  Plan plan_;        // workspace
  std::vector<double> justified_;
};

}  // namespace

void search_lists(Search& search) {
  if (search.problem().objective() != Objective::kStep || search.problem().graph().num_ops() == 0) return;
  ListSearch(search).run();
}

}  // namespace berth
