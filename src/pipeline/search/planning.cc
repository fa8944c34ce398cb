// SPDX-License-Identifier: Apache-2.0
#include "pipeline/search/planning.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>

#include "base/rng.h"
#include "pipeline/schedules/list_schedule.h"
#include "pipeline/schedules/schedules.h"
#include "pipeline/search/baselines.h"
#include "pipeline/search/block_costs.h"
#include "pipeline/search/cut_dp.h"
#include "pipeline/search/device_orders.h"

namespace berth::pipeline {
namespace {

constexpr std::size_t kMostOrders = 200;   // per number of devices
constexpr std::size_t kTriedOrders = 16;   // under every schedule
constexpr std::size_t kTriedCuts = 4;      // of each
constexpr std::size_t kFewCuts = 64;       // so few are tried all
constexpr std::size_t kImproved = 8;       // candidates whose borders are moved
constexpr std::size_t kCoarseBounds = 10;  // of the program that ranks orders
constexpr std::size_t kMostListed = 1024;  // actions of a plan whose order is searched
constexpr std::uint64_t kListTries = 400;
constexpr std::size_t kMostKnownCuts = 64;

// How lists are made for a cut: by a rule, or for the stages as they are.
struct Recipe {
  const ScheduleRule* rule = nullptr;
  bool split = false;
  std::uint32_t ahead = 0;  // microbatches held beyond those of 1f1b
};

struct Candidate {
  Cut cut;
  std::vector<DeviceId> devices;  // of every stage
  std::uint32_t chunks = 1;
  Recipe recipe;
  PipelinePlan plan;
  UnitTimeline timeline;
};

bool better_timeline(const UnitTimeline& a, const UnitTimeline& b) { return better(a.score, b.score); }

class Planner {
 public:
  Planner(const LayeredStep& step, const PlanningRequest& request)
      : step_(step), request_(request), problem_(*step.problem), costs_(step), devices_(stage_devices(step)) {
    using std::chrono::steady_clock;
    end_ = steady_clock::now() +
           std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(request.time_s));
  }

  Planning run() {
    Planning planning;
    planning.baselines = judge_baselines(step_, request_.microbatches);
    evaluations_ += planning.baselines.size();
    std::vector<Candidate> found = try_orders(planning.orders);
    std::ranges::stable_sort(found, better_timeline, &Candidate::timeline);
    if (found.size() > kImproved) found.resize(kImproved);
    for (Candidate& candidate : found) improve(candidate);
    std::ranges::stable_sort(found, better_timeline, &Candidate::timeline);
    if (!found.empty()) {
      for (Candidate& candidate : found) {
        if (may_search_lists() && candidate.timeline.score.feasible) improve_lists(candidate);
      }
      std::ranges::stable_sort(found, better_timeline, &Candidate::timeline);
      planning.best = Judged{"", found.front().cut, found.front().plan, found.front().timeline};
    }
    take_better_baseline(planning);
    if (planning.best && !planning.best->timeline.score.feasible) planning.best.reset();
    planning.evaluations = evaluations_;
    return planning;
  }

 private:
  [[nodiscard]] bool should_stop() const {
    return (request_.stop != nullptr && request_.stop->load()) || std::chrono::steady_clock::now() >= end_;
  }
  [[nodiscard]] bool may_search_lists() const { return request_.schedule.empty() || request_.schedule == kSearched; }

  [[nodiscard]] std::vector<Recipe> recipes(std::uint32_t chunks) const {
    std::vector<Recipe> all;
    for (const ScheduleRule& rule : schedule_rules()) {
      const bool fits = rule.chunks == chunks || (rule.chunks == 0 && chunks > 1);
      if (rule.splits && !request_.may_split) continue;
      if (fits && (request_.schedule.empty() || request_.schedule == rule.name)) all.push_back({&rule});
    }
    if (!may_search_lists()) return all;
    for (const bool split : {false, true}) {
      if (split && !request_.may_split) continue;
      for (const std::uint32_t ahead : {0U, 1U, 2U, request_.microbatches}) all.push_back({nullptr, split, ahead});
    }
    return all;
  }

  // --- judging ---

  std::shared_ptr<const StagedStep> staged(const Cut& cut) {
    auto& known = staged_[{cut.first_block, cut.recompute}];
    if (known) return known;
    if (staged_.size() > kMostKnownCuts) {
      staged_.clear();
      return staged_[{cut.first_block, cut.recompute}] =
                 std::make_shared<const StagedStep>(make_staged_step(step_, cut));
    }
    return known = std::make_shared<const StagedStep>(make_staged_step(step_, cut));
  }

  // Where memory runs out, stages there are run again instead of kept, the one that keeps most first.
  std::optional<Candidate> judge(Candidate candidate, const Candidate* rival) {
    for (std::size_t tries = candidate.cut.num_stages() + 1; tries > 0; --tries) {
      if (!make_lists(candidate) || !judge_once(candidate, rival)) return std::nullopt;
      if (candidate.timeline.score.feasible || !request_.may_recompute || !recompute_more(candidate)) return candidate;
    }
    return candidate;
  }

  // Nothing where it is slower than a rival whatever it holds.
  bool judge_once(Candidate& candidate, const Candidate* rival) {
    ++evaluations_;
    const auto stages = staged(candidate.cut);
    if (rival != nullptr && rival->timeline.score.feasible) {
      auto quick = run_units(*stages, candidate.plan, MemoryCheck::kNone);
      if (!quick || quick->score.step_time >= rival->timeline.score.step_time) return false;
    }
    auto timeline = run_units(*stages, candidate.plan);
    if (!timeline) return false;
    candidate.timeline = std::move(*timeline);
    return true;
  }

  bool recompute_more(Candidate& candidate) const {
    const DeviceId full = candidate.timeline.score.overflow->device;
    std::optional<std::size_t> heaviest;
    Bytes most = 0;
    for (std::size_t s = 0; s < candidate.cut.num_stages(); ++s) {
      if (candidate.cut.recompute[s] != 0 || candidate.devices[s] != full) continue;
      const Bytes kept = costs_.kept(candidate.cut.first_block[s], end_of(candidate.cut, s));
      if (!heaviest || kept > most) heaviest = s, most = kept;
    }
    if (heaviest) candidate.cut.recompute[*heaviest] = 1;
    return heaviest.has_value();
  }

  [[nodiscard]] std::size_t end_of(const Cut& cut, std::size_t stage) const {
    return stage + 1 < cut.num_stages() ? cut.first_block[stage + 1] : costs_.num_blocks();
  }

  // False where there are no such lists.
  bool make_lists(Candidate& candidate) {
    std::vector<std::vector<DeviceId>> devices;
    for (const DeviceId device : candidate.devices) devices.push_back({device});
    candidate.plan = plan_of(step_, candidate.cut, devices, request_.microbatches);
    const auto stages = static_cast<std::uint32_t>(candidate.devices.size());
    if (candidate.recipe.rule != nullptr) {
      const ScheduleRule& rule = *candidate.recipe.rule;
      const ScheduleShape shape{stages / candidate.chunks, candidate.chunks, request_.microbatches};
      if (!rule.takes(shape)) return false;
      Lists lists = rule.lists(shape);
      for (std::uint32_t s = 0; s < stages; ++s) {
        candidate.plan.actions[index(candidate.devices[s])] = lists[rule.place_of(shape, s)];
      }
      candidate.plan.schedule = rule.name;
      return true;
    }
    std::vector<std::uint32_t> limits;
    for (std::uint32_t s = 0; s < stages; ++s) limits.push_back(stages - s + candidate.recipe.ahead);
    candidate.plan.actions = list_schedule(*staged(candidate.cut),
                                           {candidate.devices, request_.microbatches, limits, candidate.recipe.split});
    candidate.plan.schedule = kSearched;
    return true;
  }

  // --- candidates ---

  struct Ranked {
    std::vector<DeviceId> order;
    Picoseconds estimate;
  };

  std::vector<Ranked> rank_orders(std::size_t& looked_at) {
    const auto orders = device_orders(problem_, devices_, costs_.num_blocks(), kMostOrders);
    std::vector<Ranked> ranked;
    for (const auto& order : orders) {
      ++looked_at;
      const auto cuts = find_cuts(costs_, {order, request_.microbatches, request_.may_recompute, kCoarseBounds});
      if (!cuts.empty()) ranked.push_back({order, cuts.front().estimate});
      if (should_stop()) break;
    }
    std::ranges::stable_sort(ranked, {}, &Ranked::estimate);
    if (ranked.size() > kTriedOrders) ranked.resize(kTriedOrders);
    return ranked;
  }

  std::vector<Candidate> try_orders(std::size_t& looked_at) {
    std::vector<Candidate> found;
    for (const Ranked& ranked : rank_orders(looked_at)) {
      try_order(ranked.order, 1, ranked.order, found);
      if (ranked.order.size() < 2 || !request_.may_share || should_stop()) continue;
      std::vector<DeviceId> twice = ranked.order;
      twice.insert(twice.end(), ranked.order.begin(), ranked.order.end());
      try_order(ranked.order, 2, twice, found);
      std::vector<DeviceId> there_and_back = ranked.order;
      there_and_back.insert(there_and_back.end(), ranked.order.rbegin(), ranked.order.rend());
      try_order(ranked.order, 2, there_and_back, found);
    }
    return found;
  }

  // Every recipe for stages on these devices, one stage after the other.
  void try_order(const std::vector<DeviceId>& order, std::uint32_t chunks, const std::vector<DeviceId>& places,
                 std::vector<Candidate>& found) {
    for (const Cut& cut : cuts_for(places)) {
      std::optional<Candidate> best;
      for (const Recipe& recipe : recipes(chunks)) {
        if (should_stop() && best) break;
        if (recipe.rule != nullptr && !stands_so(*recipe.rule, order, chunks, places)) continue;
        auto judged = judge({cut, places, chunks, recipe, {}, {}}, best ? &*best : nullptr);
        if (judged && (!best || better_timeline(judged->timeline, best->timeline))) best = std::move(judged);
      }
      if (best) found.push_back(std::move(*best));
      if (should_stop()) return;
    }
  }

  // The most promising, and all where there are few.
  std::vector<Cut> cuts_for(const std::vector<DeviceId>& places) {
    std::vector<Cut> cuts;
    for (FoundCut& found : find_cuts(costs_, {places, request_.microbatches, request_.may_recompute}, kTriedCuts)) {
      cuts.push_back(std::move(found.cut));
    }
    std::vector<std::vector<std::uint32_t>> all{{0}};
    for (std::size_t s = 1; s < places.size() && all.size() <= kFewCuts; ++s) {
      std::vector<std::vector<std::uint32_t>> longer;
      for (const auto& first : all) {
        for (std::uint32_t next = first.back() + 1; next + (places.size() - s) <= costs_.num_blocks(); ++next) {
          longer.push_back(first);
          longer.back().push_back(next);
        }
      }
      all = std::move(longer);
    }
    if (all.size() > kFewCuts) return cuts;
    for (auto& first : all) {
      const bool is_known = std::ranges::find(cuts, first, &Cut::first_block) != cuts.end();
      Candidate candidate{{first, std::vector<std::uint8_t>(first.size(), 0)}, places, 1, {}, {}, {}};
      if (!is_known && first.size() == places.size() && can_run(candidate)) cuts.push_back(std::move(candidate.cut));
    }
    return cuts;
  }

  [[nodiscard]] bool stands_so(const ScheduleRule& rule, const std::vector<DeviceId>& order, std::uint32_t chunks,
                               const std::vector<DeviceId>& places) const {
    const ScheduleShape shape{static_cast<std::uint32_t>(order.size()), chunks, request_.microbatches};
    for (std::uint32_t s = 0; s < shape.num_stages(); ++s) {
      if (places[s] != order[rule.place_of(shape, s)]) return false;
    }
    return true;
  }

  // --- improvement ---

  void improve(Candidate& candidate) {
    for (bool helped = true; helped && !should_stop();) {
      helped = false;
      for (Candidate& changed : neighbours(candidate)) {
        if (should_stop()) return;
        auto judged = judge(std::move(changed), &candidate);
        if (!judged || !better_timeline(judged->timeline, candidate.timeline)) continue;
        candidate = std::move(*judged);
        helped = true;
        break;
      }
    }
  }

  // Borders by one or two blocks, stages run again or kept, other lists for the same stages.
  [[nodiscard]] std::vector<Candidate> neighbours(const Candidate& candidate) const {
    std::vector<Candidate> all;
    const auto same = [&] {
      return Candidate{candidate.cut, candidate.devices, candidate.chunks, candidate.recipe, {}, {}};
    };
    for (std::size_t s = 1; s < candidate.cut.num_stages(); ++s) {
      for (const int by : {-1, 1, -2, 2}) {
        const std::int64_t border = std::int64_t{candidate.cut.first_block[s]} + by;
        if (border <= std::int64_t{candidate.cut.first_block[s - 1]} ||
            border >= static_cast<std::int64_t>(end_of(candidate.cut, s))) {
          continue;
        }
        Candidate changed = same();
        changed.cut.first_block[s] = static_cast<std::uint32_t>(border);
        if (can_run(changed)) all.push_back(std::move(changed));
      }
    }
    for (std::size_t s = 0; s < candidate.cut.num_stages(); ++s) {
      if (!request_.may_recompute) break;
      all.push_back(same());
      all.back().cut.recompute[s] ^= 1U;
    }
    for (const Recipe& recipe : recipes(candidate.chunks)) {
      if (recipe.rule != candidate.recipe.rule && recipe.rule != nullptr) continue;
      all.push_back(same());
      all.back().recipe = recipe;
    }
    return all;
  }

  [[nodiscard]] bool can_run(const Candidate& candidate) const {
    for (std::size_t s = 0; s < candidate.cut.num_stages(); ++s) {
      if (!costs_.can_run(candidate.cut.first_block[s], end_of(candidate.cut, s), candidate.devices[s])) return false;
    }
    return true;
  }

  // Exchanges neighbours in the lists, as long as that helps.
  void improve_lists(Candidate& candidate) {
    std::size_t actions = 0;
    std::vector<std::size_t> busy;
    for (std::size_t d = 0; d < candidate.plan.actions.size(); ++d) {
      actions += candidate.plan.actions[d].size();
      if (candidate.plan.actions[d].size() > 1) busy.push_back(d);
    }
    if (actions > kMostListed || busy.empty()) return;
    Rng rng(request_.seed);
    const auto stages = staged(candidate.cut);
    for (std::uint64_t i = 0; i < kListTries && !should_stop(); ++i) {
      PipelinePlan changed = candidate.plan;
      auto& list = changed.actions[busy[rng.below(busy.size())]];
      const std::size_t at = rng.below(list.size() - 1);
      const auto to = std::min<std::size_t>(list.size() - 1, at + 1 + rng.below(3));
      std::rotate(list.begin() + static_cast<std::ptrdiff_t>(at), list.begin() + static_cast<std::ptrdiff_t>(to),
                  list.begin() + static_cast<std::ptrdiff_t>(to) + 1);
      if (!check_lists(changed, problem_.machine()).ok()) continue;
      ++evaluations_;
      const auto quick = run_units(*stages, changed, MemoryCheck::kNone);
      if (!quick || quick->score.step_time >= candidate.timeline.score.step_time) continue;
      auto full = run_units(*stages, changed);
      if (!full || !better_timeline(*full, candidate.timeline)) continue;
      candidate.plan = std::move(changed);
      candidate.plan.schedule = kSearched;
      candidate.timeline = std::move(*full);
    }
  }

  // What was asked for by name is not exchanged for another schedule.
  void take_better_baseline(Planning& planning) const {
    for (const Judged& baseline : planning.baselines) {
      if (!request_.schedule.empty() && baseline.plan.schedule != request_.schedule) continue;
      if (!planning.best || better_timeline(baseline.timeline, planning.best->timeline)) planning.best = baseline;
    }
  }

  const LayeredStep& step_;
  const PlanningRequest& request_;
  const Problem& problem_;
  const BlockCosts costs_;
  const std::vector<DeviceId> devices_;
  std::chrono::steady_clock::time_point end_;
  std::uint64_t evaluations_ = 0;
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint8_t>>, std::shared_ptr<const StagedStep>> staged_;
};

}  // namespace

Planning plan_pipeline(const LayeredStep& step, const PlanningRequest& request) { return Planner(step, request).run(); }

std::vector<Judged> judge_baselines(const LayeredStep& step, std::uint32_t microbatches) {
  std::vector<Judged> all;
  for (Baseline& baseline : make_baselines(BlockCosts(step), stage_devices(step), microbatches)) {
    const StagedStep staged = make_staged_step(step, baseline.cut);
    if (!check_replicas(staged, baseline.plan).ok()) continue;
    auto timeline = run_units(staged, baseline.plan);
    if (timeline) all.push_back({baseline.name, baseline.cut, std::move(baseline.plan), std::move(*timeline)});
  }
  return all;
}

std::vector<std::string> planning_schedules() {
  std::vector<std::string> names;
  for (const ScheduleRule& rule : schedule_rules()) names.emplace_back(rule.name);
  names.emplace_back(kSearched);
  return names;
}

PipelinePlan plan_of(const LayeredStep& step, const Cut& cut, const std::vector<std::vector<DeviceId>>& devices,
                     std::uint32_t microbatches) {
  PipelinePlan plan;
  plan.microbatches = microbatches;
  plan.actions.resize(step.problem->machine().num_devices());
  for (std::size_t s = 0; s < cut.num_stages(); ++s) {
    PipelineStage stage{.devices = devices[s], .recompute = cut.recompute[s] != 0};
    const std::size_t end = s + 1 < cut.num_stages() ? cut.first_block[s + 1] : step.blocks.size();
    for (std::size_t b = cut.first_block[s]; b < end; ++b) {
      stage.layers.insert(stage.layers.end(), step.blocks[b].begin(), step.blocks[b].end());
    }
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

std::vector<DeviceId> stage_devices(const LayeredStep& step) {
  const BlockCosts costs(step);
  const auto runs_some = [&](DeviceId device) {
    for (std::size_t b = 0; b < costs.num_blocks(); ++b) {
      if (costs.can_run(b, b + 1, device)) return true;
    }
    return false;
  };
  std::vector<DeviceId> devices;
  for (const DeviceId device : step.problem->machine().accelerators()) {
    if (runs_some(device)) devices.push_back(device);
  }
  if (!devices.empty()) return devices;
  for (const DeviceId device : step.problem->machine().device_ids()) {
    if (runs_some(device)) devices.push_back(device);
  }
  return devices;
}

Status check_devices(const LayeredStep& step) {
  const BlockCosts costs(step);
  const std::vector<DeviceId> devices = stage_devices(step);
  for (std::size_t b = 0; b < costs.num_blocks(); ++b) {
    const auto runs = [&](DeviceId device) { return costs.can_run(b, b + 1, device); };
    if (std::ranges::any_of(devices, runs)) continue;
    return bad_input("the layer '{}' can run on no {} of '{}', so no stage can have it", step.blocks[b].front(),
                     step.problem->machine().accelerators().empty() ? "device" : "accelerator",
                     step.problem->machine().name());
  }
  return {};
}

Result<Cut> cut_of(const LayeredStep& step, const PipelinePlan& plan) {
  Cut cut;
  std::size_t block = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    cut.first_block.push_back(static_cast<std::uint32_t>(block));
    cut.recompute.push_back(plan.stages[s].recompute ? 1 : 0);
    std::vector<std::string> expected;
    const std::vector<std::string>& layers = plan.stages[s].layers;
    while (block < step.blocks.size() && expected.size() < layers.size()) {
      expected.insert(expected.end(), step.blocks[block].begin(), step.blocks[block].end());
      ++block;
    }
    if (layers.empty()) return bad_input("stage {} has no layers", s);
    if (expected == layers) continue;
    const auto [want, have] = std::ranges::mismatch(expected, layers);
    if (want == expected.end()) return bad_input("stage {}: '{}' is no layer of the model here", s, *have);
    if (have == layers.end()) return bad_input("stage {}: '{}' cannot be parted from the layer before it", s, *want);
    return bad_input("stage {}: the layer '{}' stands where '{}' has to be", s, *have, *want);
  }
  if (block == step.blocks.size()) return cut;
  return bad_input("the layer '{}' is in no stage", step.blocks[block].front());
}

Status check_replicas(const StagedStep& staged, const PipelinePlan& plan) {
  const auto refuse = [&](std::uint32_t stage) -> Status {
    if (plan.stages[stage].devices.size() < 2) return {};
    return bad_input("stage {} shares weights with another stage, so it cannot have replicas", stage);
  };
  for (const ReaderControl& control : staged.controls) {
    BERTH_RETURN_IF_ERROR(refuse(control.from));
    BERTH_RETURN_IF_ERROR(refuse(control.to));
  }
  for (const std::uint32_t sum : staged.sums) {
    const Held& held = staged.held[sum];
    BERTH_RETURN_IF_ERROR(refuse(held.stage));
    BERTH_RETURN_IF_ERROR(refuse(staged.stage_of[index(staged.step->graph().producer(held.tensor))]));
  }
  return {};
}

}  // namespace berth::pipeline
