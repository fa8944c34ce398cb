// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/tree_search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace berth::exact {
namespace {

// Nodes are reported to the search in lots: its clock is slow beside them.
constexpr std::uint64_t kLot = 16;
constexpr std::size_t kKnownRuns = std::size_t{1} << 20;  // 16 MiB

// Devices that can change places without changing any plan's value: equal times for every op, equal memory and lanes,
// allowed for the same units, and routes that map onto each other. One thing tells them apart: copies of one tensor
// requested at one instant queue in the order of their ids. The search therefore leaves open which of them has the
// lower id until such a tie asks for it.
//
// Whether swapping devices a and b maps the machine and the problem onto itself.
class SwapCheck {
 public:
  SwapCheck(const Tables& tables, int a, int b)
      : tables_(tables),
        a_(a),
        b_(b),
        channel_image_(static_cast<std::size_t>(tables.channels), -1),
        queue_image_(static_cast<std::size_t>(tables.queues), -1) {}

  bool holds() {
    const Problem& problem = *tables_.problem;
    const DeviceId first{static_cast<std::uint16_t>(a_)}, second{static_cast<std::uint16_t>(b_)};
    if (problem.device_class(first) != problem.device_class(second)) return false;
    const auto at = [](const auto& table, int i) { return table[static_cast<std::size_t>(i)]; };
    if (at(tables_.lanes, a_) != at(tables_.lanes, b_) || at(tables_.capacity, a_) != at(tables_.capacity, b_))
      return false;
    const bool own_memory = at(tables_.account, a_) == a_ && at(tables_.account, b_) == b_;
    if (!own_memory && at(tables_.account, a_) != at(tables_.account, b_)) return false;
    for (const DeviceSet allowed : tables_.allowed) {
      if (((allowed >> a_) & 1) != ((allowed >> b_) & 1)) return false;
    }
    for (int from = 0; from < tables_.devices; ++from) {
      for (int to = 0; to < tables_.devices; ++to) {
        if (from != to && !maps_route(from, to)) return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] int image(int device) const { return device == a_ ? b_ : device == b_ ? a_ : device; }

  bool maps_route(int from, int to) {
    const Machine& machine = tables_.problem->machine();
    const auto id = [](int device) { return DeviceId(static_cast<std::uint16_t>(device)); };
    const auto route = machine.route(id(from), id(to)), mapped = machine.route(id(image(from)), id(image(to)));
    if (route.size() != mapped.size()) return false;
    for (std::size_t i = 0; i < route.size(); ++i) {
      const Channel &x = machine.channels()[route[i]], &y = machine.channels()[mapped[i]];
      if (x.bytes_per_s != y.bytes_per_s || x.latency_s != y.latency_s || (x.queue < 0) != (y.queue < 0)) return false;
      if (!maps(channel_image_, route[i], mapped[i])) return false;
      if (x.queue >= 0 && !maps(queue_image_, x.queue, y.queue)) return false;
    }
    return true;
  }

  // A swap is its own inverse, so an image determines that of the other.
  static bool maps(std::vector<int>& images, int x, int y) {
    int &of_x = images[static_cast<std::size_t>(x)], &of_y = images[static_cast<std::size_t>(y)];
    if (of_x < 0) of_x = y;
    if (of_y < 0) of_y = x;
    return of_x == y && of_y == x;
  }

  const Tables& tables_;
  int a_, b_;
  std::vector<int> channel_image_, queue_image_;
};

// Class of every device, numbered from 0; devices of a class are interchangeable and have consecutive ids.
std::vector<int> interchangeable_devices(const Tables& tables) {
  std::vector<int> class_of;
  for (int device = 0; device < tables.devices; ++device) {
    const bool joins = device > 0 && SwapCheck(tables, device - 1, device).holds();
    class_of.push_back(device == 0 ? 0 : class_of.back() + (joins ? 0 : 1));
  }
  return class_of;
}

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
