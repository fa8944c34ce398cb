// SPDX-License-Identifier: Apache-2.0
// Toys: graphs, machines and plans from a line of text, and timelines as text, so that a reader can check a test on
// paper. A mistake in a text throws std::invalid_argument with the offending piece.
//
// Graph: statements separated by ";", each a chain of items joined by "->" (data) or "=>" (control edge).
//   "a:2 -> b:3; a -> c:3"             op:seconds; an op gets its id where it is first named
//   "x:input:4B -> v:view:4B -> b:2"   roles: input, param, buffer, const, view; else compute
//   "a:2:4B:6B -> b:1; a.1 -> c:1"     one output per size (1 byte unless said); a.1 is output 1 of a
//   "a:2/5"                            2 s on the first device, 5 s on the second; "-" where it may not run
//   "a:3:compute=1"                    1 s of the 3 are arithmetic, which fusion cannot save (default: all)
//   "a:1:out", "a.1:out"               graph output (default: none)
//   "w:param:8B; u:1:update=w"         an update op; "a:1:none" has no output; "a:1:group=g" colocates
//   "optimizer adam"                   sgd, momentum or adam (default sgd)
// Inputs of an op come in the order of the text.
//
// Machine: statements separated by ";". Bandwidths are endless, latencies 0 and memories 1 TiB unless said.
//   "2 devices, 1 s per edge"          CPUs "0", "1", ... and a full-duplex link between any two, latency 1 s ...
//   "2 devices, 1 s per byte"          ... or 1 B/s; without a second part nothing costs anything
//   "device gpu memory=4B pool=p lanes=2 launch=1 sync rate=8"   a name with "cpu" makes a CPU, else a GPU; B/s
//   "pool p 64B", "switch s"
//   "link a b latency=1 rate=2 half | oneway | bus=name | free"  full duplex unless said; free = uncontended
//   "link a * rate=2"                  from a to all others
//   "no overlap, 2"                    regions one after the other, 2 s for each
//
// Plan: "a@0 b@gpu!5 c@1!-2 {b c}": op@device!priority, braces fuse. Ops not named stay on the first device.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth {

struct ToyGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<std::vector<double>> seconds;  // per op: one for all devices, or one per device
  std::vector<double> compute_seconds;       // per op; negative: the same as seconds
};

ToyGraph toy_graph(std::string_view text);
std::shared_ptr<const Machine> toy_machine(std::string_view text);

// Inputs may go anywhere, as if the user had said so: toys place them by their plan.
Problem toy_problem(std::string_view graph, std::string_view machine);
Plan toy_plan(const Problem& problem, std::string_view text);  // verified

// "a@0 0-2 | a>1 2-3 | b@0 2-5": by start; of one start transfers (one per link of a route) before ops. Seconds.
std::string to_text(const Problem& problem, const Timeline& timeline);
// "0:12 1:5 pool:17": peak bytes of every device, then of every pool.
std::string peaks_text(const Problem& problem, const Score& score);
// "0>1 2s 8B | 1>0 0s 0B": busy time and bytes of every link queue.
std::string queues_text(const Problem& problem, const Score& score);

}  // namespace berth
