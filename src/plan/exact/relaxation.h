// SPDX-License-Identifier: Apache-2.0
// Relaxation: how early the step can end at best, given a partial run.
//
//  - heads and tails of every op on every device it may still go to, with the transfers that placement entails, behind
//    what is on its way in the queues already: the longest way through an op is the least over its devices;
//  - for every device, the ops placed on it, and for every queue, the transfers known to come: the optimum of one
//    machine with heads and tails that may interrupt jobs (plan/exact/one_machine.h);
//  - the work left, spread fractionally over the devices from the moment each can take it up.
//
// A device on which an op would end too late for a better plan than the best known is taken away from its unit.
// O(edges * devices^2 + ops log ops).
#pragma once

#include <vector>

#include "plan/exact/one_machine.h"
#include "plan/exact/partial_run.h"

namespace berth::exact {

class Relaxation {
 public:
  explicit Relaxation(const Tables& tables);

  // A lower bound for every plan that continues the run and takes less than `cutoff`; `cutoff` if there is none.
  // Narrows the domains of the run.
  Picoseconds bound(PartialRun& run, Picoseconds cutoff);

  // Of the last bound(): the longest way from the start of an op to the end, at its best device, and when a device
  // can have done all that it has, a unit just placed on it included.
  [[nodiscard]] Picoseconds urgency(const PartialRun& run, int op) const;
  [[nodiscard]] Picoseconds earliest_end(const PartialRun& run, int unit) const;

 private:
  void find_arrivals(const PartialRun& run);
  void find_tails(const PartialRun& run);
  void find_heads(const PartialRun& run);
  [[nodiscard]] Picoseconds earliest_start(const PartialRun& run, int op, int device) const;
  [[nodiscard]] Picoseconds way_through(PartialRun& run, Picoseconds cutoff, bool& narrowed);
  [[nodiscard]] Picoseconds device_bound(const PartialRun& run);
  [[nodiscard]] Picoseconds queue_bound(const PartialRun& run);
  [[nodiscard]] Picoseconds work_bound(const PartialRun& run);
  bool exclude_by_load(PartialRun& run, Picoseconds cutoff);
  bool exclude_by_memory(PartialRun& run);
  [[nodiscard]] Picoseconds under_way(int tensor, int from, int to, Picoseconds start) const;

  const Tables& tables_;
  std::vector<double> prices_;  // per device and lane, see sim/bounds/work_prices.h
  // Of the last run looked at.
  std::vector<Picoseconds> arrival_;      // [tensor * devices + device] of copies under way; 0: there, or not asked for
  std::vector<Picoseconds> signalled_;    // [op]: when the last control signal under way arrives
  std::vector<Picoseconds> queue_free_;   // when all that is in a queue has left it
  std::vector<Picoseconds> free_;         // per device: when a lane is free
  std::vector<Picoseconds> head_, tail_;  // [op * devices + device]: start, and what follows the end
  std::vector<Picoseconds> load_;         // per device: time of the ops placed there that have not started
  std::vector<Bytes> unit_resident_;
  OneMachine machine_;
  std::vector<Job> jobs_;
  std::vector<std::vector<Job>> jobs_of_queue_;
  struct Waiting {
    int op;
    Picoseconds tail;
    double priced;
  };
  std::vector<Waiting> waiting_;
  std::vector<Picoseconds> work_from_;  // per device: when it can take up the work so far
  std::vector<int> device_order_;
  std::vector<const PartialRun::Transfer*> queued_;
};

}  // namespace berth::exact
