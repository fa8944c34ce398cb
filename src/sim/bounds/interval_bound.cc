// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/interval_bound.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

// (op, beginning of a stretch) pairs looked at per step time: about a millisecond.
constexpr std::size_t kMaxPairs = 40'000;
// Step times are tried this finely, or as finely as the grid.
constexpr Picoseconds kParts = 1000;

class IntervalTest {
 public:
  IntervalTest(std::span<const WindowedOp> ops, std::int64_t lanes) : ops_(ops), lanes_(lanes) {}

  [[nodiscard]] bool refutes(Picoseconds step_time) {
    collect_begins(step_time);
    return std::ranges::any_of(begins_, [&](Picoseconds begin) { return overflows(begin, step_time); });
  }

 private:
  // Where the work that a stretch must hold can change its slope: windows open, ops must have begun, ops may be over.
  void collect_begins(Picoseconds step_time) {
    begins_.clear();
    for (const WindowedOp& op : ops_) {
      begins_.insert(begins_.end(), {op.before, op.before + op.duration, step_time - op.after - op.duration});
    }
    std::ranges::sort(begins_);
    begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    const std::size_t most = std::max<std::size_t>(kMaxPairs / ops_.size(), 1), all = begins_.size();
    if (all <= most) return;
    for (std::size_t i = 0; i < most; ++i) begins_[i] = begins_[i * all / most];
    begins_.resize(most);
  }

  // Whether some stretch from `begin` on must hold too much. The work of an op in it grows with the end of the stretch
  // at slope one, from the op's latest start until all of it is inside that `begin` does not cut off.
  [[nodiscard]] bool overflows(Picoseconds begin, Picoseconds step_time) {
    slopes_.clear();
    for (const WindowedOp& op : ops_) {
      const Picoseconds inside = std::min(op.duration, op.before + op.duration - begin);
      if (inside <= 0) continue;
      const Picoseconds from = std::max(begin, step_time - op.after - op.duration);
      slopes_.push_back({from, +1});
      slopes_.push_back({from + inside, -1});
    }
    std::ranges::sort(slopes_, {}, &Slope::at);
    Picoseconds work = 0, at = begin;
    std::int64_t slope = 0;
    for (const Slope& change : slopes_) {
      work += slope * (change.at - at);
      at = change.at;
      slope += change.by;
      if (work > lanes_ * (at - begin)) return true;
    }
    return false;
  }

  struct Slope {
    Picoseconds at;
    std::int64_t by;
  };
  std::span<const WindowedOp> ops_;
  std::int64_t lanes_;
  std::vector<Picoseconds> begins_;
  std::vector<Slope> slopes_;
};

}  // namespace

Picoseconds interval_bound(std::span<const WindowedOp> ops, std::int64_t lanes, Picoseconds known, Picoseconds grid) {
  const auto on_grid = [&](Picoseconds time) { return (time + grid - 1) / grid * grid; };
  Picoseconds bound = on_grid(known);  // nothing below it is possible
  if (ops.empty()) return bound;
  const Picoseconds fine = on_grid(std::max<Picoseconds>(known / kParts, 1));
  IntervalTest test(ops, lanes);
  Picoseconds open = bound, stride = fine;  // not refuted, once the loop is over
  while (test.refutes(open)) {
    bound = open + grid;
    open += stride;
    stride *= 2;
  }
  while (open - bound >= fine) {
    const Picoseconds middle = bound + (open - bound) / 2 / grid * grid;
    if (test.refutes(middle)) {
      bound = middle + grid;
    } else {
      open = middle;
    }
  }
  return bound;
}

}  // namespace berth
