// SPDX-License-Identifier: Apache-2.0
// By units and in full: the same times, links and memory, to the picosecond and the byte.
#include "pipeline/expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pipeline/schedules/schedules.h"
#include "pipeline/training_graphs.h"
#include "pipeline/unit_run.h"
#include "sim/simulator.h"

namespace berth::pipeline {
namespace {

Cut random_cut(const LayeredStep& step, Rng& rng, std::size_t most) {
  std::vector<std::uint32_t> firsts(step.blocks.size() - 1);
  std::iota(firsts.begin(), firsts.end(), 1U);
  rng.shuffle(std::span(firsts));
  firsts.resize(std::min<std::size_t>(firsts.size(), rng.below(most)));
  firsts.push_back(0);
  std::ranges::sort(firsts);
  Cut cut{firsts, {}};
  for (std::size_t s = 0; s < firsts.size(); ++s) cut.recompute.push_back(rng.chance(0.3) ? 1 : 0);
  return cut;
}

// Lists of a rule, or actions in any order that ends: one that a run through the stages could have had.
PipelinePlan random_lists(const StagedStep& staged, const Machine& machine, Rng& rng, bool replicas) {
  const auto stages = static_cast<std::uint32_t>(staged.num_stages());
  PipelinePlan plan;
  plan.microbatches = static_cast<std::uint32_t>(rng.between(1, 4));
  plan.actions.resize(machine.num_devices());
  std::vector<DeviceId> devices = machine.accelerators();
  for (std::uint32_t s = 0; s < stages; ++s) {
    PipelineStage stage{.devices = {devices[rng.below(devices.size())]}};
    if (replicas && rng.chance(0.5)) {
      rng.shuffle(std::span(devices));
      stage.devices.assign(devices.begin(),
                           devices.begin() + rng.between(1, static_cast<std::int64_t>(devices.size())));
    }
    plan.stages.push_back(stage);
  }
  struct Next {
    std::uint32_t stage, microbatch;
    int done = 0;  // forward, backward or its two parts
    bool split = false;
    DeviceId device{};
  };
  std::vector<Next> open;
  for (std::uint32_t s = 0; s < stages; ++s) {
    for (std::uint32_t m = 0; m < plan.microbatches; ++m) {
      const auto& on = plan.stages[s].devices;
      open.push_back({s, m, 0, rng.chance(0.5), on[rng.below(on.size())]});
    }
  }
  const auto state = [&](std::uint32_t s, std::uint32_t m) -> Next& { return open[s * plan.microbatches + m]; };
  for (std::size_t left = 3 * open.size() * 40; left > 0; --left) {
    Next& next = open[rng.below(open.size())];
    const bool forward_ready = next.stage == 0 || state(next.stage - 1, next.microbatch).done > 0;
    bool all_forward = true;
    for (std::uint32_t s = 0; s < stages; ++s) all_forward = all_forward && state(s, next.microbatch).done > 0;
    const bool backward_ready =
        all_forward && (next.stage + 1 == stages || state(next.stage + 1, next.microbatch).done > 1);
    ActionKind kind = ActionKind::kForward;
    if (next.done == 0 && forward_ready) {
    } else if (next.done == 1 && backward_ready) {
      kind = next.split ? ActionKind::kBackwardInput : ActionKind::kBackward;
    } else if (next.done == 2 && next.split) {
      kind = ActionKind::kBackwardWeight;
    } else {
      continue;
    }
    ++next.done;
    plan.actions[index(next.device)].push_back({kind, next.stage, next.microbatch});
  }
  return plan;
}

void expect_equal(const StagedStep& staged, const PipelinePlan& plan) {
  ASSERT_TRUE(check_lists(plan, staged.step->problem->machine()).ok())
      << check_lists(plan, staged.step->problem->machine()).error().message;
  const auto units = run_units(staged, plan);
  ASSERT_TRUE(units) << units.error().message;
  const auto full = expand(staged, plan);
  ASSERT_TRUE(full) << full.error().message;
  const auto wrong = verify(full->problem, full->plan);
  ASSERT_FALSE(wrong) << wrong->message;
  const Score score = simulate(full->problem, full->plan);
  EXPECT_EQ(units->score.step_time, score.step_time);
  EXPECT_EQ(units->score.feasible, score.feasible);
  EXPECT_EQ(units->score.pool_peaks, score.pool_peaks);
  for (std::size_t q = 0; q < score.queues.size(); ++q) {
    EXPECT_EQ(units->score.queues[q].busy, score.queues[q].busy) << "queue " << q;
    EXPECT_EQ(units->score.queues[q].bytes, score.queues[q].bytes) << "queue " << q;
  }
  for (std::size_t d = 0; d < score.devices.size(); ++d) {
    EXPECT_EQ(units->score.devices[d].busy, score.devices[d].busy) << "device " << d;
    EXPECT_EQ(units->score.devices[d].peak, score.devices[d].peak) << "device " << d;
  }
}

bool has_shared_weights(const StagedStep& staged) { return !staged.sums.empty() || !staged.controls.empty(); }

TEST(Expansion, UnitsAgreeOnRandomCases) {
  int stages = 0, shared = 0, replicated = 0, recomputed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const auto machine = random_pipeline_machine(rng, static_cast<std::size_t>(rng.between(1, 3)));
    const Problem problem = RandomTraining(rng, static_cast<std::size_t>(rng.between(2, 6)), machine).make();
    const auto step = find_layered_step(problem);
    ASSERT_TRUE(step) << step.error().message;
    const StagedStep staged = make_staged_step(*step, random_cut(*step, rng, 5));
    const bool replicas = !has_shared_weights(staged) && rng.chance(0.5);
    const PipelinePlan plan = random_lists(staged, *machine, rng, replicas);
    expect_equal(staged, plan);
    if (testing::Test::HasFailure()) return;
    stages += static_cast<int>(staged.num_stages());
    shared += has_shared_weights(staged) ? 1 : 0;
    for (const PipelineStage& stage : plan.stages) replicated += stage.devices.size() > 1 ? 1 : 0;
    recomputed += static_cast<int>(std::ranges::count(staged.cut.recompute, 1));
  }
  EXPECT_GT(stages, 700);
  EXPECT_GT(shared, 30);
  EXPECT_GT(replicated, 30);
  EXPECT_GT(recomputed, 100);
}

}  // namespace
}  // namespace berth::pipeline
