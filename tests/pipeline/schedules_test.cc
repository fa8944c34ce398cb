// SPDX-License-Identifier: Apache-2.0
// Schedules of equal stages without transfers: the bubbles and the live microbatches of their papers.
#include "pipeline/schedules/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/search/planning.h"
#include "pipeline/training_graphs.h"
#include "support/toy.h"

namespace berth::pipeline {
namespace {

// A chain of equal layers, one per stage, on as many devices; a stage of `chunks` per device takes that much less.
struct EqualStages {
  explicit EqualStages(const ScheduleShape& shape_given, ChainLayer layer = {})
      : shape(shape_given),
        problem(chain_problem(std::vector<ChainLayer>(shape.num_stages(), layer),
                              toy_machine(fmt::format("{} devices", shape.places)))),
        step(*find_layered_step(problem)) {}

  PipelinePlan plan(const ScheduleRule& rule) const {
    Cut cut;
    std::vector<std::vector<DeviceId>> devices;
    for (std::uint32_t s = 0; s < shape.num_stages(); ++s) {
      cut.first_block.push_back(s);
      cut.recompute.push_back(0);
      devices.push_back({DeviceId(rule.place_of(shape, s))});
    }
    PipelinePlan made = plan_of(step, cut, devices, shape.microbatches);
    made.actions = rule.lists(shape);
    made.schedule = rule.name;
    return made;
  }
  UnitTimeline run(const ScheduleRule& rule) const {
    const PipelinePlan made = plan(rule);
    EXPECT_TRUE(check_lists(made, problem.machine()).ok()) << check_lists(made, problem.machine()).error().message;
    const StagedStep staged = make_staged_step(step, *cut_of(step, made));
    auto timeline = run_units(staged, made);
    EXPECT_TRUE(timeline.ok()) << timeline.error().message;
    return std::move(*timeline);
  }

  ScheduleShape shape;
  Problem problem;
  LayeredStep step;
};

const ScheduleRule& rule(std::string_view name) { return *find_schedule_rule(name); }

// The step takes so many seconds; the devices work for `busy` of them each.
void expect_bubble(const EqualStages& stages, std::string_view name, std::uint32_t all, std::uint32_t busy) {
  SCOPED_TRACE(name);
  const UnitTimeline timeline = stages.run(rule(name));
  EXPECT_EQ(timeline.score.step_time, to_picoseconds(all));
  EXPECT_NEAR(timeline.bubble(), static_cast<double>(all - busy) / all, 1e-12);
}

// Every stage takes 1 s for each part. With p stages, and m microbatches, the bubbles are (p - 1) / (m + p - 1) for
// GPipe and 1F1B, (p - 1) / (v m + p - 1) with v stages a device in turn, (p - 1) / (3 m + p - 1) for ZB-H1.
TEST(Schedules, BubblesAreThoseOfTheirPapers) {
  for (std::uint32_t p = 1; p <= 6; ++p) {
    for (std::uint32_t m = p; m <= 4 * p; m += p) {
      SCOPED_TRACE(fmt::format("p = {}, m = {}", p, m));
      const EqualStages line({p, 1, m});
      expect_bubble(line, "gpipe", 3 * (m + p - 1), 3 * m);
      expect_bubble(line, "1f1b", 3 * (m + p - 1), 3 * m);
      expect_bubble(line, "zb-h1", 3 * m + p - 1, 3 * m);
      for (std::uint32_t v = 2; v <= 3; ++v) {
        expect_bubble(EqualStages({p, v, m}), "interleaved-1f1b", 3 * (v * m + p - 1), 3 * v * m);
      }
      // Two stages a device: nothing but the start is idle.
      if (m >= 2 * p) expect_bubble(EqualStages({p, 2, m}), "zb-v", 6 * m + p - 1, 6 * m);
    }
  }
}

TEST(Schedules, LiveMicrobatchesAreThoseOfTheirPapers) {
  for (std::uint32_t p = 1; p <= 6; ++p) {
    for (std::uint32_t m = 1; m <= 3 * p; ++m) {
      SCOPED_TRACE(fmt::format("p = {}, m = {}", p, m));
      const ScheduleShape shape{p, 1, m};
      for (std::uint32_t s = 0; s < p; ++s) {
        EXPECT_EQ(most_live(rule("gpipe").lists(shape)[s], s), m);
        EXPECT_EQ(most_live(rule("1f1b").lists(shape)[s], s), std::min(m, p - s));
        EXPECT_LE(most_live(rule("zb-h1").lists(shape)[s], s), std::min(m, p));
      }
      const ScheduleShape v{p, 2, m};
      for (std::uint32_t place = 0; place < p; ++place) {
        const auto list = rule("zb-v").lists(v)[place];
        std::uint32_t live = 0, most = 0;
        for (const PipelineAction& action : list) {
          if (action.kind == ActionKind::kForward) most = std::max(most, ++live);
          if (action.kind == ActionKind::kBackwardWeight) --live;
        }
        EXPECT_LE(most, 2 * p);
      }
    }
  }
}

TEST(Schedules, MemoryFollowsLiveMicrobatches) {
  // The activation of a layer is held from its forward pass until its gradient has been made.
  const EqualStages line({4, 1, 8}, {.parameter = 1000, .activation = 10});
  const UnitTimeline gpipe = line.run(rule("gpipe")), one = line.run(rule("1f1b"));
  // Weight and gradient, the activations, and in the backward pass the gradient that came and the one that is made.
  EXPECT_EQ(gpipe.score.devices[0].peak, 2000 + 8 * 10 + 20);
  EXPECT_EQ(one.score.devices[0].peak, 2000 + 4 * 10 + 20);
  EXPECT_EQ(one.score.devices[3].peak, 2000 + 10 + 20);
}

TEST(Schedules, ListsOfEveryRuleAreWholeAndEnd) {
  for (const ScheduleRule& each : schedule_rules()) {
    for (std::uint32_t p = 1; p <= 5; ++p) {
      for (std::uint32_t m = 1; m <= 12; ++m) {
        const ScheduleShape shape{p, each.chunks == 0 ? 2 : each.chunks, m};
        if (!each.takes(shape)) continue;
        SCOPED_TRACE(fmt::format("{} p = {} m = {}", each.name, p, m));
        EqualStages(shape).run(each);
      }
    }
  }
}

TEST(Schedules, InterleavingTakesWholeGroupsOnly) {
  EXPECT_TRUE(rule("interleaved-1f1b").takes({4, 2, 8}));
  EXPECT_FALSE(rule("interleaved-1f1b").takes({4, 2, 6}));
  EXPECT_FALSE(rule("interleaved-1f1b").takes({4, 1, 8}));
}

TEST(Schedules, ReplicasTakeTurns) {
  const Lists dealt = deal(rule("gpipe").lists({1, 1, 3})[0], 2);
  ASSERT_EQ(dealt.size(), 2U);
  EXPECT_EQ(dealt[0].size(), 4U);
  EXPECT_EQ(dealt[1].size(), 2U);
  EXPECT_EQ(dealt[1][0].microbatch, 1U);
}

TEST(CheckLists, SaysWhatIsWrong) {
  const EqualStages line({2, 1, 2});
  const auto error = [&](const PipelinePlan& plan) {
    const Status status = check_lists(plan, line.problem.machine());
    return status.ok() ? std::string() : status.error().message;
  };
  PipelinePlan plan = line.plan(rule("1f1b"));
  EXPECT_EQ(error(plan), "");
  plan.actions[0].pop_back();
  EXPECT_EQ(error(plan), "microbatch 1 does not go through all of stage 0");
  plan = line.plan(rule("1f1b"));
  plan.actions[1].push_back(plan.actions[1].front());
  EXPECT_EQ(error(plan), "the forward of microbatch 0 in stage 1 is listed twice");
  plan = line.plan(rule("1f1b"));
  std::swap(plan.actions[1][0], plan.actions[1][1]);
  EXPECT_EQ(
      error(plan),
      "the backward of microbatch 0 in stage 1 is on '1' before what it needs of its own stage, or twice in two forms");
  plan = line.plan(rule("1f1b"));
  plan.actions[1].push_back(plan.actions[0].front());
  EXPECT_EQ(error(plan), "the forward of microbatch 0 in stage 0 is on '1', which is no device of that stage");
}

TEST(UnitRun, ListsThatWaitInACircleAreRefused) {
  const EqualStages line({2, 1, 2});
  PipelinePlan plan = line.plan(rule("gpipe"));
  // Stage 0 wants the gradient of microbatch 0 before it runs the forward pass of 1, stage 1 the other way round.
  std::swap(plan.actions[0][1], plan.actions[0][2]);
  const StagedStep staged = make_staged_step(line.step, *cut_of(line.step, plan));
  ASSERT_TRUE(check_lists(plan, line.problem.machine()).ok());
  const auto timeline = run_units(staged, plan);
  ASSERT_FALSE(timeline.ok());
  EXPECT_EQ(timeline.error().message, "the lists of actions wait for each other in a circle");
}

}  // namespace
}  // namespace berth::pipeline
