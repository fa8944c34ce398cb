// SPDX-License-Identifier: Apache-2.0
// The engine of m-etf and m-sct: of all ready ops and devices with room, again and again the pair that can start first.
//
// Estimates only grow as lanes and links fill up (but for copies that other ops caused), so each device keeps its ready
// ops in two heaps with estimates that may be out of date: those that wait for data, by the time it comes, and those
// that wait for the device alone, in topological order. Only the least of all is estimated anew before it is taken. An
// op without room on a device is parked there until memory is freed. O((ops * devices + edges) * log ops) in practice.
//
// On unequal devices a start counts as much later as the op runs longer there than on its fastest device; on equal ones
// that changes nothing.
#pragma once

#include <span>

#include "plan/construct/memory_passes.h"
#include "plan/planner.h"

namespace berth {

struct Grouping;

struct EtfOptions {
  double memory_share = 1.0;  // of every device
  // Per op, kNoOp for none; empty: none at all. A device that has run an op waits for its favourite child if that is
  // ready and would start nowhere earlier, and meanwhile takes only ops that are urgent: startable at once anywhere.
  std::span<const OpId> favourite_child = {};
};

// Every op is placed, also when the search has to stop early.
Plan schedule_earliest_first(const Search& search, const Grouping& grouping, const EtfOptions& options);

}  // namespace berth
