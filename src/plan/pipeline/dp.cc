// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/dp.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "plan/pipeline/linear_orders.h"
#include "plan/pipeline/stage_dp.h"
#include "plan/search/placement.h"

namespace berth {
namespace {

constexpr std::size_t kMostDownSets = 200'000;
// Steps a walk over one linear order may take; longer orders are cut at fewer places.
constexpr std::size_t kMostDpSteps = 8'000'000;
constexpr std::size_t kMostCombinations = 1024;  // of how many devices of every kind are used
constexpr double kAnyFactor = 1e30;
constexpr Picoseconds kNoLoadLimit = std::numeric_limits<Picoseconds>::max() / 4;
constexpr std::string_view kNoCut = "no cut meets the constraints, so on one device";

class StagePlanner {
 public:
  explicit StagePlanner(Search& search)
      : search_(search),
        problem_(search.problem()),
        is_pipeline_(problem_.objective() == Objective::kPipeline),
        model_(problem_),
        stages_(make_stage_problem(model_, devices())),
        prices_(price_blocks(model_, stages_, all_devices().devices_of_kind)) {}

  Result<Plan> run() {
    if (is_pipeline_) {
      plan_pipeline();
    } else {
      plan_step();
    }
    if (best_plan_) return *best_plan_;
    return submit(search_, fallback(), "dp");
  }

 private:
  [[nodiscard]] std::vector<DeviceId> devices() const {
    if (!is_pipeline_) return worker_devices(problem_);
    const auto ids = problem_.machine().device_ids();
    return {ids.begin(), ids.end()};
  }

  [[nodiscard]] bool should_stop() const { return search_.should_stop(); }

  void plan_pipeline() {
    const auto orders = linear_orders(stages_, [this] { return should_stop(); });
    for (const auto& order : orders) cut_order(order, all_devices());
    if (is_refused_) cut_into_fewer(orders);
    const std::string how = search_down_sets();
    if (should_stop()) return note("stopped early");
    if (!best_plan_) relax_memory(orders.front());
    if (!best_plan_) return note(std::string(kNoCut));
    note(best_score_.feasible ? how : how + ", and none fits");
  }

  // The best cuts of the orders break a limit, on crossings say: fewer stages cross less.
  void cut_into_fewer(std::span<const std::vector<std::uint32_t>> orders) {
    StageLimits limits = all_devices();
    const int most = most_stages();
    for (limits.max_devices = 1; limits.max_devices < most; ++limits.max_devices) {
      for (const auto& order : orders) cut_order(order, limits);
    }
  }

  // Looks for a better cut than those of the linear orders; what it is the best of.
  std::string search_down_sets() {
    const auto sets = find_down_sets(stages_, kMostDownSets, [this] { return should_stop(); });
    if (!sets) return fmt::format("linearised: more than {} down-sets", group_digits(kMostDownSets));
    StageLimits limits = all_devices();
    limits.load = best_load_ ? *best_load_ - 1 : kNoLoadLimit;
    const StageSearch found =
        cut_into_stages(model_, stages_, *sets, prices_, limits, [this] { return should_stop(); });
    // Of those that are worse than a refused one, only cuts of the orders have been looked at.
    const bool is_refused = found.plan && !take(*found.plan);
    const std::string_view best = is_refused              ? "the best cut found within the limits"
                                  : model_.is_separable() ? "the best contiguous plan"
                                                          : "the best contiguous plan by each device's fastest links";
    return fmt::format("{}{}, {} down-sets", best, on_some_devices(), group_digits(sets->size()));
  }

  void plan_step() {
    const auto orders = linear_orders(stages_, [this] { return should_stop(); });
    StageLimits limits = all_devices();
    const int most = most_stages();
    for (limits.max_devices = 1; limits.max_devices <= most; ++limits.max_devices) {
      for (const auto& order : orders) {
        best_load_.reset();
        cut_order(order, limits);
        if (should_stop()) return note("stopped early");
      }
    }
    if (!best_plan_) relax_memory(orders.front());
    if (!best_plan_) return note(std::string(kNoCut));
    note(best_stages_ == 1 ? "one stage beats several" : fmt::format("{} stages along a linear order", best_stages_));
  }

  // Where devices differ too much for every combination to be counted, the kinds that are needed and then the fastest.
  [[nodiscard]] StageLimits all_devices() const {
    StageLimits limits;
    limits.devices_of_kind.assign(stages_.num_kinds(), 0);
    std::size_t combinations = 1;
    for (const std::size_t kind : kinds_by_use()) {
      const std::size_t devices = stages_.kinds[kind].devices.size();
      const std::size_t room = kMostCombinations / combinations;
      const std::size_t taken = std::min(devices, room > 0 ? room - 1 : 0);
      limits.devices_of_kind[kind] = static_cast<int>(taken);
      combinations *= taken + 1;
    }
    if (const auto most = problem_.constraints().max_devices) limits.max_devices = *most;
    return limits;
  }

  [[nodiscard]] int most_stages() const {
    return std::min(all_devices().max_devices, static_cast<int>(devices().size()));
  }

  [[nodiscard]] std::string on_some_devices() const {
    const StageLimits limits = all_devices();
    const int used = std::accumulate(limits.devices_of_kind.begin(), limits.devices_of_kind.end(), 0);
    const auto all = static_cast<int>(devices().size());
    return used < all ? fmt::format(" on {} of {} devices", used, all) : "";
  }

  // Kinds that some block cannot do without, then by the time they would take for all work they may do.
  [[nodiscard]] std::vector<std::size_t> kinds_by_use() const {
    const std::size_t kinds = stages_.num_kinds();
    std::vector<double> time(kinds, 0.0), blocks(kinds, 0.0);
    std::vector<std::uint8_t> needed(kinds, 0);
    for (std::size_t block = 0; block < stages_.num_blocks(); ++block) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        if ((stages_.allowed[block] >> kind & 1U) == 0) continue;
        time[kind] += static_cast<double>(stages_.work[block * kinds + kind]);
        blocks[kind] += 1.0;
        if (std::popcount(stages_.allowed[block]) == 1) needed[kind] = 1;
      }
    }
    std::vector<std::size_t> order(kinds);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      if (needed[a] != needed[b]) return needed[a] > needed[b];
      if (blocks[a] != blocks[b]) return blocks[a] > blocks[b];
      return time[a] < time[b];
    });
    return order;
  }

  // The best cut of an order that is better than what is known. While nothing is known the limit grows step by step,
  // since a low one makes the search much quicker.
  void cut_order(std::span<const std::uint32_t> order, StageLimits limits) {
    const DownSets sets = down_sets_of_order(stages_, order, most_cuts());
    const Picoseconds ceiling = best_load_ ? *best_load_ - 1 : kNoLoadLimit;
    for (double factor = best_load_ ? kAnyFactor : 1.05;; factor *= factor) {
      const double limit = static_cast<double>(search_.lower_bound() + 1) * factor;
      limits.load = limit < static_cast<double>(ceiling) ? static_cast<Picoseconds>(limit) : ceiling;
      const StageSearch found =
          cut_into_stages(model_, stages_, sets, prices_, limits, [this] { return should_stop(); });
      if (found.plan) take(*found.plan);
      if (found.plan || !found.complete || limits.load == ceiling) return;
    }
  }

  [[nodiscard]] std::size_t most_cuts() const {
    return kMostDpSteps / std::max<std::size_t>(1, stages_.num_blocks()) + 1;
  }

  void relax_memory(std::span<const std::uint32_t> order) {
    StageLimits limits = all_devices();
    limits.load = kNoLoadLimit;
    limits.memory = false;
    const DownSets sets = down_sets_of_order(stages_, order, most_cuts());
    const StageSearch found = cut_into_stages(model_, stages_, sets, prices_, limits, [this] { return should_stop(); });
    if (found.plan) take(*found.plan);
    best_load_.reset();
  }

  // Whether the cut is a legal plan. Only then does its load count: others may have to be worse to be legal.
  bool take(const StagePlan& cut) {
    Plan plan = place(cut);
    if (verify(problem_, plan)) {
      is_refused_ = true;
      return false;
    }
    if (!best_load_ || cut.largest_load < *best_load_) best_load_ = cut.largest_load;
    const Score& score = search_.evaluate(plan);
    if (best_plan_ && !better(score, best_score_)) return true;
    best_plan_ = std::move(plan);
    best_score_ = score;
    best_stages_ = cut.stages.size();
    return true;
  }

  [[nodiscard]] Plan place(const StagePlan& cut) const {
    std::vector<DeviceId> device_of_stage;
    std::vector<std::size_t> used(stages_.num_kinds(), 0), stage_of_unit(model_.num_units(), cut.stages.size());
    for (const Stage& stage : cut.stages) {
      for (const std::uint32_t block : stage.blocks) {
        for (const std::uint32_t unit : stages_.units[block]) stage_of_unit[unit] = device_of_stage.size();
      }
      device_of_stage.push_back(stages_.kinds[stage.kind].devices[used[stage.kind]++]);
    }
    device_of_stage.push_back(fallback_device(problem_));  // for what floats and nobody reads
    for (std::size_t i = stages_.floating.size(); i-- > 0;) place_floating(stages_.floating[i], stage_of_unit);
    std::vector<DeviceId> device_of_unit = stages_.fixed;
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (device_of_unit[unit] == kNoDevice) device_of_unit[unit] = device_of_stage[stage_of_unit[unit]];
    }
    return plan_from_units(problem_, device_of_unit);
  }

  // In the first stage that reads from one of the units. Readers that float know their stage already.
  void place_floating(std::span<const std::uint32_t> units, std::vector<std::size_t>& stage_of_unit) const {
    std::size_t stage = std::numeric_limits<std::size_t>::max();
    for (const std::uint32_t unit : units) {
      for (const std::uint32_t net : model_.made_by(unit)) {
        for (const std::uint32_t reader : model_.readers(net)) {
          if (std::ranges::find(units, reader) == units.end()) stage = std::min(stage, stage_of_unit[reader]);
        }
      }
    }
    for (const std::uint32_t unit : units) stage_of_unit[unit] = std::min(stage, stage_of_unit[unit]);
  }

  // When not even one cut was found in time, or none met the constraints.
  [[nodiscard]] Plan fallback() const { return plan_on_one_device(problem_, worker_devices(problem_).front()); }

  void note(std::string text) { search_.set_note(std::move(text)); }

  Search& search_;
  const Problem& problem_;
  const bool is_pipeline_;
  const PipelineModel model_;
  const StageProblem stages_;
  const WorkPrices prices_;
  std::optional<Plan> best_plan_;
  Score best_score_;
  std::size_t best_stages_ = 0;
  std::optional<Picoseconds> best_load_;  // by the stages' own count, of legal plans
  bool is_refused_ = false;               // some cut was not legal
};

}  // namespace

Result<Plan> DpPlanner::plan(Search& search) { return StagePlanner(search).run(); }

}  // namespace berth
