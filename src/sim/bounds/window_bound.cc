// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/window_bound.h"

#include <algorithm>
#include <cstddef>

#include "sim/bounds/work_prices.h"

namespace berth {
namespace {

constexpr std::size_t kSteps = 400;  // of the grid, each way

using Way = Picoseconds PricedOp::*;

// For every h the least q among the ops that it leaves.
Picoseconds sweep(std::vector<PricedOp>& ops, Way near, Way far) {
  std::ranges::sort(ops, std::greater<>(), near);
  long double work = 0.0;
  Picoseconds least_far = 0, best = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    work += ops[i].work;
    least_far = i == 0 ? ops[i].*far : std::min(least_far, ops[i].*far);
    best = std::max(best, ops[i].*near + least_far + WorkPrices::to_bound(work, i + 1));
  }
  return best;
}

// Some of the values that occur, ascending, the least among them.
std::vector<Picoseconds> steps_of(const std::vector<PricedOp>& ops, Way way) {
  std::vector<Picoseconds> all, steps;
  for (const PricedOp& op : ops) all.push_back(op.*way);
  std::ranges::sort(all);
  for (std::size_t i = 0; i < kSteps; ++i) steps.push_back(all[i * all.size() / kSteps]);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::size_t step_below(const std::vector<Picoseconds>& steps, Picoseconds value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(steps, value) - steps.begin()) - 1;
}

Picoseconds grid(const std::vector<PricedOp>& ops) {
  const auto heads = steps_of(ops, &PricedOp::before), tails = steps_of(ops, &PricedOp::after);
  std::vector<long double> work(heads.size() * tails.size(), 0.0);  // begins no earlier, has no less behind it
  const auto at = [&](std::size_t head, std::size_t tail) -> long double& { return work[head * tails.size() + tail]; };
  for (const PricedOp& op : ops) at(step_below(heads, op.before), step_below(tails, op.after)) += op.work;
  Picoseconds best = 0;
  for (std::size_t head = heads.size(); head-- > 0;) {
    long double row = 0.0;
    for (std::size_t tail = tails.size(); tail-- > 0;) {
      row += at(head, tail);
      at(head, tail) = row + (head + 1 < heads.size() ? at(head + 1, tail) : 0.0);
      const Picoseconds bound = heads[head] + tails[tail] + WorkPrices::to_bound(at(head, tail), ops.size());
      if (at(head, tail) > 0) best = std::max(best, bound);
    }
  }
  return best;
}

}  // namespace

Picoseconds window_bound(std::vector<PricedOp> ops) {
  if (ops.empty()) return 0;
  const Picoseconds forward = sweep(ops, &PricedOp::before, &PricedOp::after);
  const Picoseconds backward = sweep(ops, &PricedOp::after, &PricedOp::before);
  return std::max({forward, backward, grid(ops)});
}

}  // namespace berth
