// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/window_bound.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>

#include "sim/bounds/work_prices.h"

namespace berth {
namespace {

constexpr std::size_t kGrid = 256;  // of the grid, each way

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

// Ways in steps of equal length, and the least way that falls on a step or behind it.
class Scale {
 public:
  Scale(const std::vector<PricedOp>& ops, Way way) {
    const auto [least, most] = std::ranges::minmax_element(ops, {}, way);
    least_ = (*least).*way;
    step_ = ((*most).*way - least_) / static_cast<Picoseconds>(kGrid) + 1;
    first_.fill(std::numeric_limits<Picoseconds>::max());
    for (const PricedOp& op : ops) first_[of(op.*way)] = std::min(first_[of(op.*way)], op.*way);
    for (std::size_t step = kGrid - 1; step-- > 0;) first_[step] = std::min(first_[step], first_[step + 1]);
  }
  [[nodiscard]] std::size_t of(Picoseconds way) const { return static_cast<std::size_t>((way - least_) / step_); }
  [[nodiscard]] Picoseconds from(std::size_t step) const { return first_[step]; }

 private:
  Picoseconds least_, step_;
  std::array<Picoseconds, kGrid> first_;
};

}  // namespace

Picoseconds coarse_window_bound(const std::vector<PricedOp>& ops) {
  if (ops.empty()) return 0;
  const Scale heads(ops, &PricedOp::before), tails(ops, &PricedOp::after);
  std::vector<long double> work(kGrid * kGrid, 0.0);
  for (const PricedOp& op : ops) work[heads.of(op.before) * kGrid + tails.of(op.after)] += op.work;
  std::vector<long double> later(kGrid, 0.0);  // by tail: begins later, has no less behind it
  Picoseconds best = 0;
  for (std::size_t head = kGrid; head-- > 0;) {
    long double row = 0.0;
    for (std::size_t tail = kGrid; tail-- > 0;) {
      row += work[head * kGrid + tail];
      later[tail] += row;
      if (later[tail] <= 0) continue;
      const Picoseconds ends = heads.from(head) + tails.from(tail);
      if (static_cast<long double>(ends) + later[tail] < static_cast<long double>(best)) continue;
      best = std::max(best, ends + WorkPrices::to_bound(later[tail], ops.size() + kGrid * kGrid));
    }
  }
  return best;
}

Picoseconds window_bound(std::vector<PricedOp> ops) {
  if (ops.empty()) return 0;
  const Picoseconds forward = sweep(ops, &PricedOp::before, &PricedOp::after);
  const Picoseconds backward = sweep(ops, &PricedOp::after, &PricedOp::before);
  return std::max({forward, backward, coarse_window_bound(ops)});
}

}  // namespace berth
