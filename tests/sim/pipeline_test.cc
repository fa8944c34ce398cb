// SPDX-License-Identifier: Apache-2.0
#include "sim/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/bounds.h"
#include "sim/pipeline_loads.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// Sending a byte takes 1 s to the host and 2 s back.
constexpr std::string_view kMachine =
    "device cpu; device gpu0; device gpu1; link gpu0 cpu rate=1 oneway; link gpu1 cpu rate=1 oneway; "
    "link cpu gpu0 rate=0.5 oneway; link cpu gpu1 rate=0.5 oneway; link gpu0 gpu1 latency=100";

Problem toy(std::string_view graph, std::string_view machine = kMachine, std::vector<Bytes> resident = {}) {
  return as_pipeline(toy_problem(graph, machine), std::move(resident));
}

double largest_load(const Problem& problem, std::string_view plan) {
  return to_seconds(simulate(problem, toy_plan(problem, plan)).step_time);
}

TEST(Pipeline, LoadIsWorkAndEveryCrossingTensorOnce) {
  const Problem problem = toy("a:2/3/3:4B -> b:10:3B -> d:1; a -> c:7:5B -> d; a -> d");
  EXPECT_EQ(largest_load(problem, "a@gpu0 b@gpu0 c@gpu0 d@gpu0"), 21);
  // gpu0: 3 + 10 work, a out once for both c and d (4), b out (3) = 20; gpu1: 8 work, a in once (8), b in (6) = 22.
  EXPECT_EQ(largest_load(problem, "a@gpu0 b@gpu0 c@gpu1 d@gpu1"), 22);
  // The CPU pays nothing: 9; gpu0: b and c 17, a in (8), b and c out (3 + 5) = 33.
  EXPECT_EQ(largest_load(problem, "a@cpu b@gpu0 c@gpu0 d@cpu"), 33);
}

TEST(Pipeline, FillsDevicesAndQueues) {
  const Problem problem = toy("a:2:4B -> b:10:3B", kMachine, {5, 7});
  const Score score = simulate(problem, toy_plan(problem, "a@gpu0 b@gpu1"));
  EXPECT_EQ(peaks_text(problem, score), "cpu:0 gpu0:5 gpu1:7");
  EXPECT_EQ(to_seconds(score.devices[2].busy), 10);
  EXPECT_EQ(queues_text(problem, score),
            "gpu0>cpu 4s 4B | gpu1>cpu 0s 0B | cpu>gpu0 0s 0B | cpu>gpu1 8s 4B | gpu0>gpu1 0s 0B | gpu1>gpu0 0s 0B");
}

TEST(Pipeline, LanesShareTheWorkButNotTheTransfers) {
  const Problem problem =
      toy("a:3:2B -> b:8 -> c:7", "device cpu lanes=2; device gpu lanes=4; link cpu gpu rate=1 latency=0");
  EXPECT_EQ(largest_load(problem, "a@cpu b@gpu c@gpu"), 2 + 15.0 / 4);
  EXPECT_EQ(largest_load(problem, "a@cpu b@cpu c@cpu"), 9);
}

TEST(Pipeline, WithoutACpuDevicesPayTheWayToTheNearest) {
  const Problem problem = toy("a:1:4B -> b:1",
                              "device g0; device g1; device g2; link g0 g1 rate=4; link g0 g2 rate=1; "
                              "link g1 g2 rate=2");
  EXPECT_EQ(largest_load(problem, "a@g0 b@g2"), 3);  // g0 pays 1 s on its way to g1, g2 pays 2 s from g1
  EXPECT_EQ(largest_load(toy("a:1 -> b:2", "device g0"), "a@g0 b@g0"), 3);
}

TEST(Pipeline, MemoryIsTheSumOfResidentBytes) {
  const std::string machine =
      "device cpu; device g0 memory=10B; device g1 pool=p; device g2 pool=p; pool p 12B; link cpu g0 latency=1; "
      "link cpu g1 latency=1; link cpu g2 latency=1; link g0 g1 latency=1; link g0 g2 latency=1; link g1 g2 latency=1";
  const Problem problem = toy("a:1:900B -> b:1 -> c:1", machine, {6, 5, 8});
  EXPECT_TRUE(simulate(problem, toy_plan(problem, "a@g0 b@g1 c@cpu")).feasible);
  const Score own = simulate(problem, toy_plan(problem, "a@g0 b@g0 c@cpu"));
  EXPECT_FALSE(own.feasible);
  EXPECT_EQ(own.overflow, (Overflow{DeviceId{1}, -1, kNoOp, 0, 1}));
  const Score pool = simulate(problem, toy_plan(problem, "a@cpu b@g1 c@g2"));
  EXPECT_EQ(pool.overflow, (Overflow{DeviceId{2}, 0, kNoOp, 0, 1}));
}

TEST(Pipeline, BoundCountsWhatAUnitCannotAvoid) {
  // b must be on a gpu and a on the cpu, so b pays 2 s for a; c may join b.
  const Problem problem = toy("a:1/-/-:1B -> b:-/5/5 -> c:1");
  EXPECT_EQ(to_seconds(lower_bound(problem).largest_unit), 7);
  // 12 s of work on three equal devices.
  const Problem equal = toy("a:4; b:4; c:2; d:2");
  EXPECT_NEAR(to_seconds(lower_bound(equal).work), 4, 1e-5);
}

// Every plan of small random problems is at or above the bound.
TEST(Pipeline, BoundHoldsForAllPlans) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Problem problem = as_pipeline(random_problem(rng, 6));
    const Picoseconds bound = lower_bound(problem).value();
    for (int i = 0; i < 300; ++i) ASSERT_GE(simulate(problem, random_plan(problem, rng)).step_time, bound) << seed;
  }
}

TEST(PipelineLoads, MovesKeepEverythingExact) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = as_pipeline(random_problem(rng, 5 + 3 * seed));
    const PipelineModel model(problem);
    PipelineLoads loads(model, random_plan(problem, rng));
    for (int i = 0; i < 60; ++i) {
      const Score score = simulate(problem, loads.plan());
      ASSERT_EQ(loads.largest_load(), score.step_time);
      ASSERT_EQ(loads.over_capacity() == 0, score.feasible);
      ASSERT_EQ(loads.crossings(), count_crossings(problem.graph(), loads.plan()));
      for (const DeviceId id : problem.machine().device_ids()) {
        const int pool = problem.machine().pool_of(id);
        const Bytes held = pool < 0 ? score.devices[index(id)].peak : score.pool_peaks[static_cast<std::size_t>(pool)];
        ASSERT_EQ(loads.room(id), problem.capacity(id) - held);
        ASSERT_LE(loads.load(id), loads.load(loads.most_loaded()));
      }
      for (int moves = 0; moves < 3; ++moves) {
        const auto unit = static_cast<std::uint32_t>(rng.below(model.num_units()));
        const DeviceId from = loads.device(unit), to = DeviceId(rng.below(model.num_devices()));
        const PipelineLoads::Effect effect = loads.effect_of_move(unit, to);
        loads.move(unit, to);
        ASSERT_EQ(effect.from, loads.load(from));
        ASSERT_EQ(effect.to, loads.load(to));
      }
    }
  }
}

TEST(PipelineLoads, TellsEqualDevicesFromOthers) {
  const Problem problem = toy("a:2/3/3:4B -> b:10/9/9", kMachine);
  const PipelineModel model(problem);
  EXPECT_TRUE(model.equal_costs(DeviceId{1}, DeviceId{2}));
  EXPECT_FALSE(model.equal_costs(DeviceId{0}, DeviceId{1}));
}

TEST(PipelineLoads, CountsWhatLimitsCount) {
  const Problem base = toy_problem("a:1 -> b:1 -> c:1; w:param -> c", kMachine);
  Constraints limits;
  limits.max_devices = 2;
  limits.max_crossings = 1;
  ExplicitCosts costs{std::vector<std::vector<double>>(4, {1, 1, 1}), {}};
  const Problem problem =
      make_problem(std::make_shared<const Graph>(base.graph()), std::make_shared<const Machine>(base.machine()), costs,
                   limits, Objective::kPipeline)
          .value();
  const PipelineModel model(problem);
  PipelineLoads loads(model, toy_plan(base, "a@gpu0 b@gpu0 c@gpu1 w@gpu1"));
  EXPECT_TRUE(loads.within_limits());
  loads.move(3, DeviceId{0});  // the parameter computes nothing, but its tensor crosses now
  EXPECT_EQ(loads.devices_that_compute(), 2);
  EXPECT_FALSE(loads.within_limits());
  loads.move(3, DeviceId{1});
  loads.move(0, DeviceId{0});
  EXPECT_EQ(loads.devices_that_compute(), 3);
}

}  // namespace
}  // namespace berth
