// SPDX-License-Identifier: Apache-2.0
// The linear program of m-sct, for a graph given as edges between nodes. The only unit that knows CLP.
//
// Start s_i >= 0 of every node, x_ij in [0, 1] for every edge (0: no transfer), end of the step w.
//   minimise w   with   s_i + p_i + c_ij x_ij <= s_j,   s_i + p_i <= w,
//   sum over j of x_ij >= out-degree of i - 1,   sum over i of x_ij >= in-degree of j - 1.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/search/search.h"

namespace berth {

struct ScheduleProgram {
  struct Edge {
    std::uint32_t from, to;  // index `durations`
    double transfer;         // c_ij
    bool may_be_saved;       // false: a control edge, which costs c_ij wherever its ends are
  };
  std::vector<double> durations;  // p_i
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
