// SPDX-License-Identifier: Apache-2.0
// Trace: the simulated timeline of a plan as viewers of traces see one: processes (devices, links) with tracks (lanes,
// directions), slices on them (ops, transfers), flows from slice to slice, and counters. The writers of formats need to
// know nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

struct TraceTrack {
  std::uint32_t process = 0;
  std::string name;
};

struct TraceSlice {  // slices of one track do not overlap
  std::uint32_t track = 0;
  std::string_view name;      // of the op, or of the op whose output is sent
  std::string_view category;  // "op" or "transfer"
  Picoseconds start = 0, end = 0;
  std::string_view detail = {};           // type of the op
  Bytes bytes = 0;                        // that are sent
  std::vector<std::uint64_t> flows = {};  // that begin here, go on or end here
};

struct TraceFlow {  // a tensor on its way: from the op that makes it over the links to the op that reads it first
  std::uint32_t begin = 0, end = 0;  // slices
  std::vector<std::uint32_t> between = {};
};

struct TraceCounter {
  std::uint32_t process = 0;
  std::string name;
  std::vector<std::pair<Picoseconds, Bytes>> values = {};  // by time; it holds until the next
};

struct Trace {
  std::vector<std::string> processes;  // the devices, then the links
  std::vector<TraceTrack> tracks;
  std::vector<TraceSlice> slices;      // by start
  std::vector<TraceFlow> flows;        // numbered from 0
  std::vector<TraceCounter> counters;  // bytes: memory of devices, and what is under way on each link
};

// The names point into the graph.
Trace make_trace(const Problem& problem, const Plan& plan, const Timeline& timeline);

}  // namespace berth
