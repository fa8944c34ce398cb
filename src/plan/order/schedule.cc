// SPDX-License-Identifier: Apache-2.0
#include "plan/order/schedule.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "plan/order/ranks.h"
#include "plan/search/best_plan.h"
#include "sim/critical_path.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr double kFirstSlack = 0.01, kLastSlack = 0.0;  // shares of the best step time
constexpr double kDirected = 0.7;                       // share of moves at the critical path
constexpr std::uint64_t kMostMoves = 3;
constexpr std::uint64_t kRefreshAfter = 8;  // moves that use one critical path at least
constexpr std::size_t kLookBack = 4;        // ops that had the device before, as far as they are of interest

// Local search over the priorities of one placement. Most moves look at the critical path: an op on it that was ready
// but waited for its device is put before one that had the device meanwhile. The rest swap the priorities of two ops of
// one device, or draw one anew. A move is taken if it is at most a slack above the best, a slack that shrinks with time
// (record-to-record travel, Dueck 1993).
//
// Cost: the whole budget, unless the lower bound is reached. Where it loses: with one lane and nothing to wait for, no
// order is better than another, and it finds that out only by trying.
class OrderSearch {
 public:
  OrderSearch(Search& search, Plan start)
      : search_(search),
        problem_(search.problem()),
        rng_(search.budget().seed),
        tracer_(problem_),
        plan_(std::move(start)) {
    if (plan_.priority.empty()) plan_.priority.assign(plan_.device_of.size(), 0.0);
    group_of_.assign(plan_.device_of.size(), kAlone);
    for (std::size_t i = 0; i < plan_.fusions.size(); ++i) {
      for (const OpId op : plan_.fusions[i]) group_of_[index(op)] = static_cast<std::uint32_t>(i);
    }
    for (const OpId op : problem_.graph().ops()) {
      if (problem_.duration(op, plan_.device(op)) > 0) timed_.push_back(op);
    }
  }

  Plan run() {
    best_ = plan_;
    best_score_ = search_.evaluate(plan_);
    const double begin = std::min(search_.progress(), 1.0);
    while (timed_.size() > 1 && !search_.should_stop() && !is_at_bound()) {
      const double done = (search_.progress() - begin) / std::max(1.0 - begin, 1e-9);
      step(kFirstSlack + (kLastSlack - kFirstSlack) * std::clamp(done, 0.0, 1.0));
    }
    return std::move(best_);
  }

 private:
  static constexpr std::uint32_t kAlone = 0xffffffffU;
  struct Change {
    OpId op;
    double before;
  };
  struct Wait {
    OpId waiting, ahead;
  };

  [[nodiscard]] bool is_at_bound() const {
    return best_score_.feasible && best_score_.step_time <= search_.lower_bound();
  }

  void step(double slack) {
    changes_.clear();
    if (is_stale_ && ++since_refresh_ > kRefreshAfter) refresh();
    for (std::uint64_t left = 1 + rng_.below(kMostMoves); left > 0; --left) propose();
    // Infeasible plans have no limit on time: any that overflows less is better.
    const auto room = static_cast<Picoseconds>(static_cast<double>(best_score_.step_time) * slack);
    const Score* score =
        best_score_.feasible ? search_.evaluate_bounded(plan_, best_score_.step_time + room) : &search_.evaluate(plan_);
    if (score == nullptr || score->feasible < best_score_.feasible) return undo();
    if (!best_score_.feasible && better(best_score_, *score)) return undo();
    is_stale_ = true;
    if (!better(*score, best_score_)) return;
    best_score_ = *score;
    best_ = plan_;
  }

  void undo() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      plan_.priority[index(change->op)] = change->before;
    }
  }

  void propose() {
    if (!waits_.empty() && rng_.chance(kDirected)) {
      const Wait& wait = waits_[rng_.below(waits_.size())];
      return set_priority(wait.waiting, priority_of(wait.ahead) + rng_.uniform());
    }
    const OpId op = timed_[rng_.below(timed_.size())], other = timed_[rng_.below(timed_.size())];
    const double own = priority_of(op), others = priority_of(other);
    if (rng_.chance(0.5) && plan_.device(op) == plan_.device(other)) set_priority(other, own);
    set_priority(op, others + rng_.uniform() - 0.5);
  }

  // Of a group: its highest member's.
  [[nodiscard]] double priority_of(OpId op) const {
    if (group_of_[index(op)] == kAlone) return plan_.priority[index(op)];
    const auto& group = plan_.fusions[group_of_[index(op)]];
    return plan_.priority_of(std::ranges::max(group, {}, [&](OpId member) { return plan_.priority_of(member); }));
  }

  void set_priority(OpId op, double priority) {
    const auto set = [&](OpId member) {
      changes_.push_back({member, plan_.priority[index(member)]});
      plan_.priority[index(member)] = priority;
    };
    if (group_of_[index(op)] == kAlone) return set(op);
    for (const OpId member : plan_.fusions[group_of_[index(op)]]) set(member);
  }

  // Ops on the critical path that were ready but waited, and those that had their device before them.
  void refresh() {
    const Timeline timeline = tracer_.run_with_timeline(plan_);
    const std::vector<CriticalStep> path = critical_path(problem_, plan_, timeline);
    waits_.clear();
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i].is_transfer || path[i].why != CriticalStep::Why::kDevice) continue;
      for (std::size_t back = 1; back <= std::min(i, kLookBack); ++back) {
        const CriticalStep& ahead = path[i - back];
        if (ahead.is_transfer || ahead.device != path[i].device) break;
        if (ahead.start < timeline.op_ready[index(path[i].op)]) break;  // it could not have been first
        waits_.push_back({path[i].op, ahead.op});
      }
    }
    is_stale_ = false;
    since_refresh_ = 0;
  }

  Search& search_;
  const Problem& problem_;
  Rng rng_;
  Simulator tracer_;  // for timelines
  Plan plan_, best_;
  Score best_score_;
  std::vector<std::uint32_t> group_of_;  // indexed by OpId
  std::vector<OpId> timed_;              // ops that take time
  std::vector<Wait> waits_;
  std::vector<Change> changes_;  // of the move at hand
  std::uint64_t since_refresh_ = kRefreshAfter;
  bool is_stale_ = true;
};

// The best plan found; devices and fusion groups are those of the start, which passes verify() and has been evaluated.
// Returns the start for the pipeline objective, which knows no order.
Plan search_order(Search& search, Plan start) {
  if (search.problem().objective() != Objective::kStep) return start;
  return OrderSearch(search, std::move(start)).run();
}

void offer_random(Search& search, const Plan& plan, int count, BestPlan& best) {
  Rng rng(search.budget().seed);
  for (int i = 0; i < count && !(best.has_any() && search.should_stop()); ++i) {
    Plan drawn = plan;
    drawn.priority.resize(plan.device_of.size());
    for (double& priority : drawn.priority) priority = rng.uniform();
    best.offer(std::move(drawn));
  }
}

Plan searched(Search& search, Plan plan) {
  constexpr int kRandomStarts = 4;
  BestPlan best(search);
  best.offer(plan);
  for (const ScheduleMethod method : {ScheduleMethod::kCriticalPath, ScheduleMethod::kFifo}) {
    if (search.should_stop()) break;
    order_at_once(search.problem(), plan, method);
    best.offer(plan);
  }
  offer_random(search, plan, kRandomStarts, best);
  return search_order(search, best.take());
}

}  // namespace

std::span<const ScheduleInfo> schedule_methods() {
  static constexpr std::array kTable{
      ScheduleInfo{"keep", "as the planner or the plan has it", ScheduleMethod::kKeep},
      ScheduleInfo{"fifo", "first come, first served: no priorities", ScheduleMethod::kFifo},
      ScheduleInfo{"critical-path", "what has the longest way to the end first", ScheduleMethod::kCriticalPath},
      ScheduleInfo{"random", "random priorities, the best of 32", ScheduleMethod::kRandom},
      ScheduleInfo{"search", "local search on the simulator, from the best of the others", ScheduleMethod::kSearch},
  };
  return kTable;
}

void order_at_once(const Problem& problem, Plan& plan, ScheduleMethod method) {
  if (method == ScheduleMethod::kKeep) return;
  plan.priority.clear();
  if (method != ScheduleMethod::kFifo) plan.priority = bottom_levels(problem, plan);
}

Plan schedule(Search& search, Plan plan, ScheduleMethod method) {
  if (method == ScheduleMethod::kSearch) return searched(search, std::move(plan));
  BestPlan best(search);
  if (method == ScheduleMethod::kRandom) {
    offer_random(search, plan, kRandomSchedules, best);
    return best.take();
  }
  order_at_once(search.problem(), plan, method);
  best.offer(std::move(plan));
  return best.take();
}

}  // namespace berth
