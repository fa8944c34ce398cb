// SPDX-License-Identifier: Apache-2.0
// Favourite children: for each op at most one consumer, and for each consumer at most one producer, that should share a
// device without a transfer between them (Hanen and Munier, 1995, as used by Baechi).
//
// The linear program: start s_i >= 0 of every op, x_ij in [0, 1] for every edge (0: no transfer), end of the step w.
//   minimise w   with   s_i + p_i + c_ij x_ij <= s_j,   s_i + p_i <= w,
//   sum over j of x_ij >= out-degree of i - 1,   sum over i of x_ij >= in-degree of j - 1.
// p_i is the duration on the fastest device, c_ij the mean transfer over all device pairs. Chains are one op here:
// their links are favourites anyway. An edge whose x comes out below one half is a favourite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/planner.h"

namespace berth {

struct FavouriteChildren {
  std::vector<OpId> child_of;  // per op, kNoOp: none
  std::string note;            // how they were found, for people
};

// By the linear program, or by the largest tensor of each op where the program is too large or takes too long.
FavouriteChildren favourite_children(const Search& search);
std::vector<OpId> children_by_largest_tensor(const Problem& problem);

// The program by itself, for a graph given as edges between nodes; `from` and `to` index `durations`.
struct ScheduleProgram {
  struct Edge {
    std::uint32_t from, to;
    double transfer;    // c_ij
    bool may_be_saved;  // false: a control edge, which costs c_ij wherever its ends are
  };
  std::vector<double> durations;
  std::vector<Edge> edges;
};
struct ScheduleSolution {
  bool optimal = false;
  double length = 0.0;
  std::vector<double> transferred;  // x_ij, per edge; 1 where it may not be saved
};
// Stops when the search does; `seconds` <= 0: no limit but that of the search.
ScheduleSolution solve(const ScheduleProgram& program, const Search& search, double seconds);

}  // namespace berth
