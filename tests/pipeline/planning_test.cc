// SPDX-License-Identifier: Apache-2.0
// The search: never behind all cuts, orders of devices and orders of actions on small cases; and what it says of plans.
#include "pipeline/search/planning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "pipeline/training_graphs.h"
#include "support/toy.h"

namespace berth::pipeline {
namespace {

// One stage per device, backward passes in one piece, microbatches in order: the best step of every cut, order of
// devices, choice of what is run again, and order of forward and backward passes. Stages that a bound rules out are not
// looked at.
class Exhaustive {
 public:
  Exhaustive(const LayeredStep& step, std::uint32_t microbatches, bool may_recompute)
      : step_(step), microbatches_(microbatches), may_recompute_(may_recompute) {
    list_orders({}, 0, 0);
  }

  Picoseconds run() {
    std::vector<DeviceId> devices = stage_devices(step_);
    std::ranges::sort(devices);
    for (std::size_t count = 1; count <= std::min(devices.size(), step_.blocks.size()); ++count) {
      std::vector<DeviceId> order = devices;
      do {
        try_cuts({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)}, {0});
      } while (std::ranges::next_permutation(order).found);
    }
    return best_;
  }

 private:
  // Forward passes (true) and backward passes of one stage: never more of these than of those.
  void list_orders(std::vector<bool> so_far, std::uint32_t forward, std::uint32_t backward) {
    if (backward == microbatches_) return orders_.push_back(so_far);
    if (forward < microbatches_) {
      so_far.push_back(true);
      list_orders(so_far, forward + 1, backward);
      so_far.pop_back();
    }
    if (backward < forward) {
      so_far.push_back(false);
      list_orders(so_far, forward, backward + 1);
    }
  }

  void try_cuts(const std::vector<DeviceId>& devices, std::vector<std::uint32_t> first) {
    if (first.size() == devices.size()) {
      for (std::uint32_t kept = 0; kept < (may_recompute_ ? 1U << devices.size() : 1U); ++kept) {
        Cut cut{first, {}};
        for (std::size_t s = 0; s < devices.size(); ++s) cut.recompute.push_back(kept >> s & 1U);
        try_actions(cut, devices);
      }
      return;
    }
    for (std::uint32_t next = first.back() + 1; next < step_.blocks.size(); ++next) {
      std::vector<std::uint32_t> longer = first;
      longer.push_back(next);
      try_cuts(devices, longer);
    }
  }

  void try_actions(const Cut& cut, const std::vector<DeviceId>& devices) {
    const StagedStep staged = make_staged_step(step_, cut);
    for (std::uint32_t s = 0; s < devices.size(); ++s) {
      const Picoseconds load = form_time(staged, s, form_of(ActionKind::kForward), devices[s]) +
                               form_time(staged, s, form_of(ActionKind::kBackward), devices[s]);
      if (load * microbatches_ >= best_) return;
    }
    std::vector<std::vector<DeviceId>> each;
    for (const DeviceId device : devices) each.push_back({device});
    PipelinePlan plan = plan_of(step_, cut, each, microbatches_);
    choose_order(staged, devices, plan, 0);
  }

  void choose_order(const StagedStep& staged, const std::vector<DeviceId>& devices, PipelinePlan& plan,
                    std::uint32_t s) {
    if (s == devices.size()) {
      const auto timeline = run_units(staged, plan);
      if (timeline && timeline->score.feasible) best_ = std::min(best_, timeline->score.step_time);
      return;
    }
    for (const std::vector<bool>& order : orders_) {
      auto& list = plan.actions[index(devices[s])];
      list.clear();
      std::uint32_t forward = 0, backward = 0;
      for (const bool is_forward : order) {
        list.push_back(is_forward ? PipelineAction{ActionKind::kForward, s, forward++}
                                  : PipelineAction{ActionKind::kBackward, s, backward++});
      }
      choose_order(staged, devices, plan, s + 1);
    }
  }

  const LayeredStep& step_;
  const std::uint32_t microbatches_;
  const bool may_recompute_;
  std::vector<std::vector<bool>> orders_;
  Picoseconds best_ = std::numeric_limits<Picoseconds>::max() / 8;
};

std::vector<ChainLayer> random_layers(Rng& rng, std::size_t count) {
  std::vector<ChainLayer> layers;
  for (std::size_t i = 0; i < count; ++i) {
    layers.push_back({static_cast<double>(rng.between(1, 6)), static_cast<double>(rng.between(1, 6)),
                      static_cast<double>(rng.between(1, 6)), 0, rng.between(1, 9), rng.between(1, 5)});
  }
  return layers;
}

struct SmallCase {
  std::size_t layers;
  int devices;
  std::uint32_t microbatches;
  std::string memory = {};
};

Picoseconds expect_as_good_as_all(const SmallCase& small, std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{} layers, {} devices, {} microbatches, seed {}", small.layers, small.devices,
                           small.microbatches, seed));
  Rng rng(seed);
  std::string text;
  std::vector<double> slowness;
  for (int d = 0; d < small.devices; ++d) {
    text += fmt::format("device gpu{}{}; ", d, small.memory);
    slowness.push_back(static_cast<double>(rng.between(1, 3)));
  }
  for (int a = 0; a < small.devices; ++a) {
    for (int b = a + 1; b < small.devices; ++b)
      text += fmt::format("link gpu{} gpu{} latency=1 rate={}; ", a, b, rng.between(1, 4));
  }
  const Problem problem = chain_problem(random_layers(rng, small.layers), toy_machine(text), slowness);
  const auto step = find_layered_step(problem);
  EXPECT_TRUE(step.ok());
  PlanningRequest request;
  request.microbatches = small.microbatches;
  request.may_split = request.may_share = false;
  request.may_recompute = !small.memory.empty();
  request.time_s = 1000;
  const Planning planning = plan_pipeline(*step, request);
  const Picoseconds all = Exhaustive(*step, small.microbatches, request.may_recompute).run();
  EXPECT_EQ(planning.best.has_value(), all < std::numeric_limits<Picoseconds>::max() / 8);
  if (!planning.best) return 0;
  EXPECT_TRUE(planning.best->timeline.score.feasible);
  const Picoseconds found = planning.best->timeline.score.step_time;
  // Data parallel, which is a candidate as well, is outside of what is looked through.
  if (planning.best->plan.schedule == "data-parallel") return 0;
  EXPECT_GE(found, all);
  return found - all;
}

TEST(Planning, IsAsGoodAsAllPlansOfSmallCases) {
  int best = 0, cases = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ++cases;
    best += expect_as_good_as_all({5, 3, 3}, seed) == 0 ? 1 : 0;
  }
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    ++cases;
    best += expect_as_good_as_all({8, 3, 4}, seed) == 0 ? 1 : 0;
  }
  EXPECT_EQ(best, cases);
}

TEST(Planning, RunsAgainWhereMemoryIsShort) {
  int best = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed)
    best += expect_as_good_as_all({5, 2, 3, " memory=60B"}, seed) == 0 ? 1 : 0;
  EXPECT_EQ(best, 15);
}

TEST(Planning, OtherSchedulesAreNeverTakenWhenOneIsNamed) {
  const Problem problem = chain_problem(std::vector<ChainLayer>(6), toy_machine("3 devices"));
  const auto step = find_layered_step(problem);
  ASSERT_TRUE(step.ok());
  for (const std::string& name : planning_schedules()) {
    PlanningRequest request;
    request.microbatches = 6;
    request.schedule = name;
    const Planning planning = plan_pipeline(*step, request);
    ASSERT_TRUE(planning.best) << name;
    EXPECT_EQ(planning.best->plan.schedule, name);
  }
}

TEST(Planning, PlansOfItAreReadBack) {
  const Problem problem = chain_problem(std::vector<ChainLayer>(6), toy_machine("3 devices"));
  const auto step = find_layered_step(problem);
  ASSERT_TRUE(step.ok());
  const Planning planning = plan_pipeline(*step, {});
  ASSERT_TRUE(planning.best);
  PipelinePlan plan = planning.best->plan;
  const auto cut = cut_of(*step, plan);
  ASSERT_TRUE(cut.ok()) << cut.error().message;
  EXPECT_EQ(*cut, planning.best->cut);
  plan.stages[0].layers[0] = "layer.5";
  EXPECT_EQ(cut_of(*step, plan).error().message, "stage 0: the layer 'layer.5' stands where 'layer.0' has to be");
  plan = planning.best->plan;
  plan.stages.pop_back();
  EXPECT_NE(cut_of(*step, plan).error().message.find("is in no stage"), std::string::npos);
}

TEST(LayeredStep, SaysWhatItCannotCut) {
  const auto error = [](std::string_view graph, std::string_view machine) {
    const Problem problem = toy_problem(graph, machine);
    const auto step = find_layered_step(problem);
    return step.ok() ? std::string() : step.error().message;
  };
  EXPECT_NE(error("a:1 -> b:1", "2 devices").find("names no layers"), std::string::npos);
  EXPECT_NE(error("a:1 -> b:1", "2 devices; no overlap, 1").find("do not work at the same time"), std::string::npos);
}

}  // namespace
}  // namespace berth::pipeline
