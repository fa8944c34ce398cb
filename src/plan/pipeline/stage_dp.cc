// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/stage_dp.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "plan/pipeline/stage_load.h"

namespace berth {
namespace {

constexpr Picoseconds kNoStages = std::numeric_limits<Picoseconds>::max();
constexpr std::uint64_t kStepsBetweenPolls = 1 << 15;

double lanes_of(const PipelineModel& model, const StageProblem& stages, std::size_t kind) {
  return model.problem().machine().device(stages.kinds[kind].devices.front()).lanes;
}

class StageCutter {
 public:
  StageCutter(const PipelineModel& model, const StageProblem& stages, const DownSets& sets, const WorkPrices& prices,
              const StageLimits& limits)
      : stages_(stages), sets_(sets), limits_(limits), load_(model, stages, limits.load, limits.memory) {
    list_counts();
    find_rests(model, prices);
    best_.assign(sets.size() * num_counts_, kNoStages);
    origin_.resize(sets.size() * num_counts_);
  }

  StageSearch run(const std::function<bool()>& should_stop) {
    best_[0] = 0;
    std::fill_n(best_.begin(), num_counts_, 0);  // a device may stay empty
    for (std::uint32_t set = 0; set + 1 < sets_.size(); ++set) {
      if (!can_start(set)) continue;
      enter(set);
      if (!walk(set, should_stop)) return {trace(), false};
      leave();
    }
    return {trace(), true};
  }

 private:
  struct Origin {
    std::uint32_t set;
    std::uint32_t kind;
  };
  struct Frame {
    std::uint32_t step, end;  // into sets_.steps
  };

  // Device counts as numbers in mixed radix, one digit per kind.
  void list_counts() {
    num_counts_ = 1;
    for (const int most : limits_.devices_of_kind) {
      stride_.push_back(num_counts_);
      num_counts_ *= static_cast<std::size_t>(most) + 1;
    }
    growable_.resize(stages_.num_kinds());
    for (std::size_t count = 0; count < num_counts_; ++count) {
      int used = 0;
      for (std::size_t k = 0; k < stages_.num_kinds(); ++k) used += digit(count, k);
      if (used >= limits_.max_devices) continue;
      for (std::size_t k = 0; k < stages_.num_kinds(); ++k) {
        if (digit(count, k) < limits_.devices_of_kind[k]) growable_[k].push_back(count);
      }
    }
  }

  [[nodiscard]] int digit(std::size_t count, std::size_t kind) const {
    return static_cast<int>(count / stride_[kind] % (static_cast<std::size_t>(limits_.devices_of_kind[kind]) + 1));
  }

  // rest_: priced work outside every set; room_: what the devices that a count leaves can take of it.
  void find_rests(const PipelineModel& model, const WorkPrices& prices) {
    double total = 0.0;
    for (std::size_t block = 0; block < stages_.num_blocks(); ++block)
      total += static_cast<double>(prices.priced(block));
    rest_.assign(sets_.size(), total);
    for (std::size_t set = 1; set < sets_.size(); ++set)
      rest_[set] = rest_[sets_.before[set]] - static_cast<double>(prices.priced(sets_.last[set]));
    const double slack = 1e-9 * total;  // of the sums above
    for (std::size_t count = 0; count < num_counts_; ++count) {
      double room = slack;
      for (std::size_t k = 0; k < stages_.num_kinds(); ++k) {
        const int left = limits_.devices_of_kind[k] - digit(count, k);
        room += left * lanes_of(model, stages_, k) * prices.price(k) * static_cast<double>(limits_.load);
      }
      room_.push_back(room);
    }
  }

  [[nodiscard]] bool is_cut(std::uint32_t set) const { return sets_.is_cut.empty() || sets_.is_cut[set] != 0; }

  [[nodiscard]] bool can_start(std::uint32_t set) const {
    if (!is_cut(set)) return false;
    for (std::size_t count = 0; count < num_counts_; ++count) {
      if (best_[set * num_counts_ + count] != kNoStages && rest_[set] <= room_[count]) return true;
    }
    return false;
  }

  void enter(std::uint32_t set) {
    for (std::uint32_t s = set; s != 0; s = sets_.before[s]) below_.push_back(sets_.last[s]);
    for (const std::uint32_t block : below_) load_.put_below(block);
  }

  void leave() {
    for (const std::uint32_t block : below_) load_.take_from_below(block);
    below_.clear();
  }

  // All sets above `start` that a stage of legal size reaches. False: told to stop.
  bool walk(std::uint32_t start, const std::function<bool()>& should_stop) {
    path_.push_back({sets_.begin[start], sets_.begin[start + 1]});
    while (true) {
      Frame& frame = path_.back();
      if (frame.step == frame.end) {
        path_.pop_back();
        if (path_.empty()) return true;
        load_.remove_last();
        continue;
      }
      const DownSets::Step step = sets_.steps[frame.step++];
      if (++steps_ % kStepsBetweenPolls == 0 && should_stop()) return false;
      if (!load_.add(step.block)) {
        load_.remove_last();
        continue;
      }
      if (is_cut(step.target)) relax(start, step.target);
      const auto first = first_step_after(step);
      path_.push_back({first, sets_.begin[step.target + 1]});
    }
  }

  // Ascending blocks only: every set has one way from the start.
  [[nodiscard]] std::uint32_t first_step_after(const DownSets::Step& step) const {
    std::uint32_t at = sets_.begin[step.target];
    if (is_linear()) return at;
    const std::uint32_t end = sets_.begin[step.target + 1];
    while (at < end && sets_.steps[at].block < step.block) ++at;
    return at;
  }
  [[nodiscard]] bool is_linear() const { return sets_.steps.size() + 1 == sets_.size(); }

  void relax(std::uint32_t from, std::uint32_t to) {
    for (std::uint64_t kinds = load_.possible_kinds(); kinds != 0; kinds &= kinds - 1) {
      const auto kind = static_cast<std::size_t>(std::countr_zero(kinds));
      const Picoseconds load = load_.of_kind(kind);
      if (load > limits_.load) continue;
      for (const std::size_t count : growable_[kind]) {
        const std::size_t next = count + stride_[kind];
        const Picoseconds value = std::max(best_[from * num_counts_ + count], load);
        if (value >= best_[to * num_counts_ + next] || rest_[to] > room_[next]) continue;
        best_[to * num_counts_ + next] = value;
        origin_[to * num_counts_ + next] = {from, static_cast<std::uint32_t>(kind)};
      }
    }
  }

  [[nodiscard]] std::optional<StagePlan> trace() const {
    auto set = static_cast<std::uint32_t>(sets_.size() - 1);
    const auto row = best_.begin() + static_cast<std::ptrdiff_t>(set * num_counts_);
    auto count = static_cast<std::size_t>(std::min_element(row, row + static_cast<std::ptrdiff_t>(num_counts_)) - row);
    if (row[static_cast<std::ptrdiff_t>(count)] == kNoStages) return std::nullopt;
    StagePlan plan;
    plan.largest_load = row[static_cast<std::ptrdiff_t>(count)];
    while (set != 0) {
      const Origin origin = origin_[set * num_counts_ + count];
      plan.stages.push_back({difference(set, origin.set), origin.kind});
      count -= stride_[origin.kind];
      set = origin.set;
    }
    std::reverse(plan.stages.begin(), plan.stages.end());
    return plan;
  }

  [[nodiscard]] std::vector<std::uint32_t> difference(std::uint32_t above, std::uint32_t below) const {
    std::vector<std::uint32_t> blocks = members(above), without = members(below), left;
    std::sort(blocks.begin(), blocks.end());
    std::sort(without.begin(), without.end());
    std::ranges::set_difference(blocks, without, std::back_inserter(left));
    return left;
  }

  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t set) const {
    std::vector<std::uint32_t> blocks;
    for (; set != 0; set = sets_.before[set]) blocks.push_back(sets_.last[set]);
    return blocks;
  }

  const StageProblem& stages_;
  const DownSets& sets_;
  const StageLimits& limits_;
  StageLoad load_;
  std::size_t num_counts_ = 1;
  std::vector<std::size_t> stride_;                 // per kind
  std::vector<std::vector<std::size_t>> growable_;  // per kind: counts that leave a device of it
  std::vector<double> rest_, room_;
  std::vector<Picoseconds> best_;  // [set * counts + count]
  std::vector<Origin> origin_;
  std::vector<Frame> path_;
  std::vector<std::uint32_t> below_;
  std::uint64_t steps_ = 0;
};

}  // namespace

WorkPrices price_blocks(const PipelineModel& model, const StageProblem& stages, std::span<const int> devices_of_kind) {
  const std::size_t kinds = stages.num_kinds();
  std::vector<double> lanes, times;
  for (std::size_t k = 0; k < kinds; ++k) {
    const double usable = lanes_of(model, stages, k) * devices_of_kind[k];
    lanes.push_back(usable > 0 ? usable : 1e-9);  // nothing may be there, and nothing will
  }
  for (std::size_t block = 0; block < stages.num_blocks(); ++block) {
    for (std::size_t k = 0; k < kinds; ++k) {
      const bool allowed = (stages.allowed[block] >> k & 1U) != 0 && devices_of_kind[k] > 0;
      times.push_back(allowed ? static_cast<double>(stages.work[block * kinds + k]) : WorkPrices::kNever);
    }
  }
  return WorkPrices(std::move(lanes), std::move(times));
}

StageSearch cut_into_stages(const PipelineModel& model, const StageProblem& stages, const DownSets& sets,
                            const WorkPrices& prices, const StageLimits& limits,
                            const std::function<bool()>& should_stop) {
  return StageCutter(model, stages, sets, prices, limits).run(should_stop);
}

}  // namespace berth
