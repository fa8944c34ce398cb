// SPDX-License-Identifier: Apache-2.0
#include "plan/mincut/mincut_exact.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <set>

#include "plan/baselines/simple_planners.h"
#include "plan/mincut/two_way_cut.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

// Best first: the open branch with the lowest bound is what stands between the best plan and the proof.
class CutSearch {
 public:
  CutSearch(Search& search, const TwoWayCut& cut) : search_(search), cut_(cut) {}

  // True if nothing better is left.
  bool run() {
    if (!open({}, 0)) return false;
    while (!branches_.empty() && !is_beaten(branches_.top().bound)) {
      const Branch branch = branches_.top();
      branches_.pop();
      if (search_.should_stop() || !split(branch)) {
        search_.raise_lower_bound(std::min(branch.bound, best()));
        return false;
      }
    }
    if (has_feasible()) search_.raise_lower_bound(best());
    return true;
  }

 private:
  using Decision = std::pair<std::uint32_t, Side>;
  struct Branch {
    Picoseconds bound;
    std::uint64_t number;  // the older first among equals
    std::vector<Decision> decisions;
    std::uint32_t next;  // unit to try on both devices
    bool operator<(const Branch& other) const {
      return std::pair(bound, number) > std::pair(other.bound, other.number);
    }
  };

  [[nodiscard]] bool has_feasible() const { return search_.has_best() && search_.best_score().feasible; }
  [[nodiscard]] Picoseconds best() const {
    return has_feasible() ? search_.best_score().step_time : std::numeric_limits<Picoseconds>::max();
  }
  [[nodiscard]] bool is_beaten(Picoseconds bound) const { return bound >= best(); }

  bool split(const Branch& branch) {
    for (const Side side : {Side::kFirst, Side::kSecond}) {
      std::vector<Decision> decisions = branch.decisions;
      decisions.emplace_back(branch.next, side);
      if (!open(std::move(decisions), branch.bound)) return false;
    }
    return true;
  }

  // Finds the cut of a branch, tries its plan, and keeps the branch if it may hold better ones. False: had to stop.
  bool open(std::vector<Decision> decisions, Picoseconds known_bound) {
    std::vector<Side> kept(search_.problem().num_units(), Side::kFree);
    for (const auto& [unit, side] : decisions) kept[unit] = side;
    const std::optional<CutPlan> found = cut_.find(kept, [this] { return search_.should_stop(); });
    if (!found) return false;
    const Picoseconds bound = std::max(known_bound, found->bound);
    if (decisions.empty()) search_.raise_lower_bound(bound);
    if (is_beaten(bound)) return true;
    bool is_exact = false;
    if (!verify(search_.problem(), found->plan)) {
      const Score& score = search_.evaluate(found->plan);
      is_exact = score.feasible && score.step_time <= bound;
    }
    const std::optional<std::uint32_t> next = undecided(*found, kept);
    if (!is_exact && next) branches_.push({bound, count_++, std::move(decisions), *next});
    return true;
  }

  // Where the cut is strained first, then where there is most at stake.
  [[nodiscard]] std::optional<std::uint32_t> undecided(const CutPlan& found, const std::vector<Side>& kept) const {
    std::optional<std::uint32_t> best;
    const auto value = [&](std::uint32_t unit) { return std::pair(bool(found.strained[unit]), cut_.stake(unit)); };
    for (const std::uint32_t unit : cut_.free_units()) {
      if (kept[unit] == Side::kFree && (!best || value(unit) > value(*best))) best = unit;
    }
    return best;
  }

  Search& search_;
  const TwoWayCut& cut_;
  std::priority_queue<Branch> branches_;
  std::uint64_t count_ = 0;
};

void note_proof(Search& search, bool is_proved) {
  const bool fits = search.has_best() && search.best_score().feasible;
  if (is_proved) {
    search.set_proof_note(fits ? "proved optimal" : "proved that no plan fits into memory");
  } else if (fits) {
    const double ratio = to_seconds(search.best_score().step_time) / to_seconds(search.lower_bound());
    search.set_proof_note(fmt::format("not proved: at most {:.1f} % above the optimum", 100.0 * (ratio - 1.0)));
  } else {
    search.set_note("no plan that fits found");
  }
}

// One cut per pair of devices that differ from the pairs before.
void try_pairs(Search& search) {
  const Problem& problem = search.problem();
  std::set<std::pair<int, int>> seen;
  for (const DeviceId first : problem.machine().device_ids()) {
    for (const DeviceId second : problem.machine().device_ids()) {
      const std::pair classes(problem.device_class(first), problem.device_class(second));
      if (second <= first || !seen.insert(classes).second) continue;
      const TwoWayCut cut(problem, first, second);
      const std::vector<Side> any(problem.num_units(), Side::kFree);
      const std::optional<CutPlan> found = cut.find(any, [&] { return search.should_stop(); });
      if (!found) return;
      if (!verify(problem, found->plan)) search.evaluate(found->plan);
    }
  }
}

}  // namespace

bool is_two_way(const Problem& problem) {
  const bool is_step = problem.objective() == Objective::kStep;
  return is_step && !problem.machine().overlap() && problem.machine().num_devices() == 2;
}

Result<Plan> MincutExactPlanner::plan(Search& search) {
  const Problem& problem = search.problem();
  const Result<Plan> single = SinglePlanner().plan(search);  // so that there is a plan at once
  if (!is_two_way(problem)) {
    if (!search.should_stop()) try_pairs(search);
    if (!search.has_best()) return single;
    search.set_note("the least sum of times and transfers on two devices; no proof on this machine");
    return search.best_plan();
  }
  const TwoWayCut cut(problem, DeviceId{0}, DeviceId{1});
  const bool is_proved = !search.should_stop() && CutSearch(search, cut).run();
  if (!search.has_best()) return single;
  note_proof(search, is_proved);
  return search.best_plan();
}

}  // namespace berth
