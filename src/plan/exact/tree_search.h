// SPDX-License-Identifier: Apache-2.0
// TreeSearch: depth first through all plans of a problem, the most promising way first, leaving out what the relaxation
// shows to be no better than the best plan known.
#pragma once

#include <memory>
#include <vector>

#include "plan/exact/partial_run.h"
#include "plan/exact/relaxation.h"
#include "plan/planner.h"

namespace berth::exact {

class TreeSearch {
 public:
  explicit TreeSearch(Search& search);

  // Looks through every plan that takes less than `limit` and less than the best feasible one; what it finds goes to
  // the search. True if it saw them all: then no plan is faster than the smaller of the two. False if it had to stop.
  // Every node of the tree counts as an evaluation.
  bool exhaust(Picoseconds limit);

  // What the relaxation says before anything is decided, about plans that take less than `limit`.
  Picoseconds root_bound(Picoseconds limit);

 private:
  struct Child {
    Picoseconds bound;
    Picoseconds preference;  // among equal bounds, the larger first
    std::unique_ptr<PartialRun> run;
    Decision decision;
  };
  bool explore(const PartialRun& run, const Decision& decision);
  bool branch(const PartialRun& run, const Decision& decision, std::vector<Child>& children);
  bool consider(Child child, std::vector<Child>& children);
  void finish(const PartialRun& run);
  std::unique_ptr<PartialRun> copy(const PartialRun& run);
  bool is_known(const PartialRun& run);

  Search& search_;
  Tables tables_;
  std::vector<int> device_classes_;
  Relaxation relaxation_;
  Picoseconds cutoff_ = 0;
  std::uint64_t uncounted_ = 0;
  std::vector<std::unique_ptr<PartialRun>> spare_;
  std::vector<PartialRun::Fingerprint> known_;  // runs looked into, by hash; later ones displace earlier ones
};

}  // namespace berth::exact
