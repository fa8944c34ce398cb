// SPDX-License-Identifier: Apache-2.0
// Window bound: all ops that start no earlier than h and have at least q behind them share what lies between, for
// every h and q. Each is tried with the least of the other among the ops that it leaves, O(ops log ops), and a grid of
// both besides, O(ops).
#pragma once

#include <vector>

#include "base/units.h"

namespace berth {

struct PricedOp {
  Picoseconds before, after;  // the longest ways in and out
  long double work;           // priced (work_prices.h): all devices together do one in a unit of time
};

Picoseconds window_bound(std::vector<PricedOp> ops);
Picoseconds coarse_window_bound(const std::vector<PricedOp>& ops);  // the grid alone

}  // namespace berth
