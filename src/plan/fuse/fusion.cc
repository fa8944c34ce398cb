// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/fusion.h"

#include <array>
#include <utility>

#include "plan/fuse/fuser.h"
#include "plan/search/best_plan.h"

namespace berth {
namespace {

constexpr int kRandomRivals = 4;  // random fusions among those of kBest

class FusionStage {
 public:
  FusionStage(Search& search, Plan plan, ScheduleMethod order)
      : search_(search), plan_(std::move(plan)), order_(order), fuser_(search.problem()), best_(search) {}

  Plan run(FusionMethod method) {
    switch (method) {
      case FusionMethod::kKeep:
        offer(plan_.fusions);
        break;
      case FusionMethod::kNone:
        offer({});
        break;
      case FusionMethod::kGreedy:
        offer(fuser_.by_bytes(plan_, stop()));
        break;
      case FusionMethod::kXla:
        offer(fuser_.by_time(plan_, stop()));
        break;
      case FusionMethod::kRandom:
        offer_random(kRandomFusions);
        break;
      case FusionMethod::kBest:
        offer_all();
        break;
    }
    return best_.take();
  }

 private:
  // Forming groups is no evaluation, so where these are counted nothing ends it.
  [[nodiscard]] Fuser::Stop stop() const {
    if (search_.budget().evaluations > 0) return {};
    return [this] { return search_.should_stop(); };
  }

  void offer(FusionGroups groups) {
    Plan fused = plan_;
    fused.fusions = std::move(groups);
    order_at_once(search_.problem(), fused, order_);
    best_.offer(std::move(fused));
  }

  // Priorities like those that a policy might draw: some producers never fuse, a share that is drawn as well.
  void offer_random(int count) {
    Rng rng(search_.budget().seed);
    std::vector<double> priorities(plan_.device_of.size());
    for (int i = 0; i < count && !(best_.has_any() && search_.should_stop()); ++i) {
      const double share = 0.5 * rng.uniform();
      for (double& priority : priorities) priority = rng.uniform() - share;
      offer(fuser_.by_priority(plan_, priorities, Joining::kAnyLegal, stop()));
    }
  }

  void offer_all() {
    offer(plan_.fusions);
    const auto go_on = [&] { return !search_.should_stop() && !search_.at_lower_bound(); };
    if (go_on()) offer(fuser_.by_bytes(plan_, stop()));
    if (go_on()) offer(fuser_.by_time(plan_, stop()));
    if (go_on() && !plan_.fusions.empty()) offer({});
    if (go_on()) offer_random(kRandomRivals);
    // Groups take less time than their members did, so what was the right order before may not be.
    if (go_on() && order_ == ScheduleMethod::kKeep) {
      Plan ordered = best_.plan();
      order_at_once(search_.problem(), ordered, ScheduleMethod::kCriticalPath);
      best_.offer(std::move(ordered));
    }
  }

  Search& search_;
  const Plan plan_;
  const ScheduleMethod order_;
  const Fuser fuser_;
  BestPlan best_;
};

}  // namespace

std::span<const FusionInfo> fusion_methods() {
  static constexpr std::array kTable{
      FusionInfo{"keep", "as the planner or the plan has it", FusionMethod::kKeep},
      FusionInfo{"none", "every op by itself", FusionMethod::kNone},
      FusionInfo{"greedy", "neighbours by falling bytes that need not be moved", FusionMethod::kGreedy},
      FusionInfo{"xla", "neighbours by falling time saved, priced anew after every fusion", FusionMethod::kXla},
      FusionInfo{"random", "by random priorities, the best of 16", FusionMethod::kRandom},
      FusionInfo{"best", "the best simulated of all these; never worse than without", FusionMethod::kBest},
  };
  return kTable;
}

Plan fuse(Search& search, Plan plan, FusionMethod method, ScheduleMethod order) {
  return FusionStage(search, std::move(plan), order).run(method);
}

}  // namespace berth
