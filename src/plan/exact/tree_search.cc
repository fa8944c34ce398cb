// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/tree_search.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "plan/exact/equal_devices.h"

namespace berth::exact {
namespace {

// Nodes are reported to the search in lots: its clock is slow beside them.
constexpr std::uint64_t kLot = 16;
constexpr std::size_t kKnownRuns = std::size_t{1} << 20;  // 16 MiB

}  // namespace

TreeSearch::TreeSearch(Search& search)
    : search_(search),
      tables_(search.problem()),
      device_classes_(interchangeable_devices(tables_)),
      relaxation_(tables_) {}

Picoseconds TreeSearch::root_bound(Picoseconds limit) {
  PartialRun run(tables_, device_classes_);
  return relaxation_.bound(run, limit);
}

bool TreeSearch::exhaust(Picoseconds limit) {
  cutoff_ = limit;
  known_.assign(kKnownRuns, {});
  if (search_.has_best() && search_.best_score().feasible) cutoff_ = std::min(limit, search_.best_score().step_time);
  PartialRun run(tables_, device_classes_);
  if (relaxation_.bound(run, cutoff_) >= cutoff_) return true;
  const Decision decision = run.advance();
  if (decision.kind == Decision::Kind::kDead) return true;
  if (decision.kind == Decision::Kind::kNone) return finish(run), true;
  return explore(run, decision);
}

bool TreeSearch::explore(const PartialRun& run, const Decision& decision) {
  std::vector<Child> children;
  bool is_complete = branch(run, decision, children);
  std::ranges::stable_sort(children, [](const Child& a, const Child& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.preference > b.preference;
  });
  for (Child& child : children) {
    is_complete = is_complete && !search_.should_stop();
    if (is_complete && child.bound < cutoff_) is_complete = explore(*child.run, child.decision);
    spare_.push_back(std::move(child.run));
  }
  return is_complete;
}

// Every way the decision can go that may lead to a better plan; false if there was no time for all of them.
bool TreeSearch::branch(const PartialRun& run, const Decision& decision, std::vector<Child>& children) {
  switch (decision.kind) {
    case Decision::Kind::kDevice:
      for (DeviceSet left = run.candidates(decision.item); left != 0; left &= left - 1) {
        if (search_.should_stop()) return false;
        Child child{0, 0, copy(run), {}};
        child.run->place(decision.item, std::countr_zero(left));
        if (consider(std::move(child), children)) {
          Child& kept = children.back();
          kept.preference = -relaxation_.earliest_end(*kept.run, decision.item);
        }
      }
      break;
    case Decision::Kind::kNext: {
      std::vector<int> ready;
      run.list_ready(decision.item, ready);
      for (const int op : ready) {
        if (search_.should_stop()) return false;
        Child child{0, relaxation_.urgency(run, op), copy(run), {}};
        child.run->start(op);
        consider(std::move(child), children);
      }
      break;
    }
    case Decision::Kind::kLowerDevice:
      for (const bool first : {true, false}) {
        Child child{0, 0, copy(run), {}};
        child.run->order_devices(first ? decision.item : decision.other, first ? decision.other : decision.item);
        consider(std::move(child), children);
      }
      break;
    case Decision::Kind::kNone:
    case Decision::Kind::kDead:
      BERTH_CHECK(false);
  }
  return true;
}

// True if the child is worth a look and was added.
bool TreeSearch::consider(Child child, std::vector<Child>& children) {
  if (++uncounted_ == kLot) search_.count_evaluations(std::exchange(uncounted_, 0));
  child.decision = child.run->advance();
  if (child.decision.kind == Decision::Kind::kNone) {
    finish(*child.run);
  } else if (child.decision.kind != Decision::Kind::kDead && !is_known(*child.run)) {
    child.bound = relaxation_.bound(*child.run, cutoff_);
    if (child.bound < cutoff_) {
      children.push_back(std::move(child));
      return true;
    }
  }
  spare_.push_back(std::move(child.run));
  return false;
}

// Whether a run with the same future was met before, in this pass; if not, it is from now on.
bool TreeSearch::is_known(const PartialRun& run) {
  const PartialRun::Fingerprint fingerprint = run.fingerprint();
  PartialRun::Fingerprint& slot = known_[fingerprint.low % kKnownRuns];
  if (slot == fingerprint) return true;
  slot = fingerprint;
  return false;
}

void TreeSearch::finish(const PartialRun& run) {
  if (run.now() >= cutoff_) return;
  const Score& score = search_.evaluate(run.plan());
  BERTH_CHECK(score.feasible && score.step_time == run.now());
  cutoff_ = run.now();
}

std::unique_ptr<PartialRun> TreeSearch::copy(const PartialRun& run) {
  if (spare_.empty()) return std::make_unique<PartialRun>(run);
  std::unique_ptr<PartialRun> free = std::move(spare_.back());
  spare_.pop_back();
  *free = run;
  return free;
}

}  // namespace berth::exact
