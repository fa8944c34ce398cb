// SPDX-License-Identifier: Apache-2.0
#include "sim/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/bounds/bounds.h"
#include "sim/pipeline_loads.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

// Sending a byte takes 1 s to the host and 2 s back.
constexpr std::string_view kPipelineMachine =
    "device cpu; device gpu0; device gpu1; link gpu0 cpu rate=1 oneway; link gpu1 cpu rate=1 oneway; "
    "link cpu gpu0 rate=0.5 oneway; link cpu gpu1 rate=0.5 oneway";
// The same, and the GPUs have a link of their own: 4 bytes a second.
constexpr std::string_view kLinked =
    "device cpu; device gpu0; device gpu1; link gpu0 cpu rate=1 oneway; link gpu1 cpu rate=1 oneway; "
    "link cpu gpu0 rate=0.5 oneway; link cpu gpu1 rate=0.5 oneway; link gpu0 gpu1 rate=4";

Problem toy(std::string_view graph, std::string_view machine = kPipelineMachine, std::vector<Bytes> resident = {}) {
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
  const Problem problem = toy("a:2:4B -> b:10:3B", kPipelineMachine, {5, 7});
  const Score score = simulate(problem, toy_plan(problem, "a@gpu0 b@gpu1"));
  EXPECT_EQ(peaks_text(problem, score), "cpu:0 gpu0:5 gpu1:7");
  EXPECT_EQ(to_seconds(score.devices[2].busy), 10);
  EXPECT_EQ(queues_text(problem, score), "gpu0>cpu 4s 4B | gpu1>cpu 0s 0B | cpu>gpu0 0s 0B | cpu>gpu1 8s 4B");
}

TEST(Pipeline, AcceleratorsUseTheLinkBetweenThem) {
  const Problem problem = toy("a:2/3/3:4B -> b:10:3B -> d:1; a -> c:7:5B -> d; a -> d", kLinked);
  // gpu0: 3 + 10 work, a (1) and b (0.75) over the direct link; gpu1: 8 work and the same 1.75 s.
  EXPECT_EQ(largest_load(problem, "a@gpu0 b@gpu0 c@gpu1 d@gpu1"), 14.75);
  const Score score = simulate(problem, toy_plan(problem, "a@gpu0 b@gpu0 c@gpu1 d@gpu1"));
  EXPECT_EQ(queues_text(problem, score),
            "gpu0>cpu 0s 0B | gpu1>cpu 0s 0B | cpu>gpu0 0s 0B | cpu>gpu1 0s 0B | gpu0>gpu1 1.75s 7B | gpu1>gpu0 0s 0B");
  // What the CPU reads goes to the host all the same: gpu0 pays 1 s for gpu1 and 4 s for the host, once.
  EXPECT_EQ(largest_load(problem, "a@gpu0 b@gpu1 c@cpu d@cpu"), 14);  // gpu1: b 10, a in 1, b out to the host 3
}

TEST(Pipeline, ATensorIsSentOncePerDirectDestinationAndOnceToTheHost) {
  const Problem problem =
      toy("a:1:4B -> b:1; a -> c:1; a -> d:1; a -> e:1",
          "device cpu; device g0; device g1; device g2; switch s; link cpu g0 rate=1; "
          "link cpu g1 rate=1; link cpu g2 rate=1; link g0 s rate=8; link g1 s rate=8; link g2 s rate=8");
  // 0.5 s on each of the two links through the switch, to g1 and to g2; 4 s to the host.
  EXPECT_EQ(largest_load(problem, "a@g0 b@g1 c@g2 d@cpu e@cpu"), 1 + 1 + 1 + 4);
}

// Every accelerator receives 4 s, and the CPU, which pays nothing, sends all of it over one port.
TEST(Pipeline, ALinkMaySetThePace) {
  const Problem problem = toy("a:1:4B -> b:1; a -> c:1; a -> d:1",
                              "device cpu; device g0; device g1; device g2; link cpu g0 rate=1 oneway bus=port; "
                              "link cpu g1 rate=1 oneway bus=port; link cpu g2 rate=1 oneway bus=port; "
                              "link g0 cpu oneway; link g1 cpu oneway; link g2 cpu oneway");
  const Plan plan = toy_plan(problem, "a@cpu b@g0 c@g1 d@g2");
  const PipelineLoad load = pipeline_load(problem, plan);
  EXPECT_EQ(to_seconds(load.largest()), 12);
  EXPECT_EQ(problem.machine().queues()[static_cast<std::size_t>(load.limiting_queue)], "port");
  EXPECT_EQ(to_seconds(load.devices[1]), 5);
  EXPECT_EQ(to_seconds(load.transfers[1]), 4);
  EXPECT_EQ(simulate(problem, plan).step_time, load.largest());
  const PipelineLoad alone = pipeline_load(problem, toy_plan(problem, "a@g0 b@g0 c@g0 d@g0"));
  EXPECT_EQ(alone.limiting_queue, -1);
  EXPECT_EQ(alone.limit, DeviceId{1});
}

TEST(Pipeline, LanesShareTheWorkButNotTheTransfers) {
  const Problem problem =
      toy("a:3:2B -> b:8 -> c:7", "device cpu lanes=2; device gpu lanes=4; link cpu gpu rate=1 latency=0");
  EXPECT_EQ(largest_load(problem, "a@cpu b@gpu c@gpu"), 2 + 15.0 / 4);
  EXPECT_EQ(largest_load(problem, "a@cpu b@cpu c@cpu"), 9);
}

TEST(Pipeline, WithoutACpuAllWaysAreDirect) {
  const Problem problem = toy("a:1:4B -> b:1",
                              "device g0; device g1; device g2; link g0 g1 rate=4; link g0 g2 rate=1; "
                              "link g1 g2 rate=2");
  EXPECT_EQ(largest_load(problem, "a@g0 b@g2"), 5);
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
  EXPECT_EQ(to_seconds(lower_bound(problem)[BoundKind::kLargestUnit]), 7);
  // 12 s of work on three equal devices.
  const Problem equal = toy("a:4; b:4; c:2; d:2");
  EXPECT_NEAR(to_seconds(lower_bound(equal)[BoundKind::kWork]), 4, 1e-5);
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

// The rules once more, as plainly as can be.
Picoseconds reference_load(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  std::vector<Picoseconds> work(machine.num_devices(), 0), transfers(work), queues(machine.queues().size(), 0);
  const auto is_cpu = [&](DeviceId id) { return machine.device(id).kind == DeviceKind::kCpu; };
  const auto send = [&](TensorId tensor, DeviceId from, DeviceId to, std::initializer_list<DeviceId> payers) {
    Picoseconds sum = 0;
    for (const std::uint16_t channel : machine.route(from, to)) {
      const Picoseconds time = problem.transfer_time(graph.bytes(tensor), channel);
      sum += time;
      if (machine.channels()[channel].queue >= 0)
        queues[static_cast<std::size_t>(machine.channels()[channel].queue)] += time;
    }
    for (const DeviceId payer : payers) transfers[index(payer)] += sum;
  };
  const auto is_direct = [&](DeviceId from, DeviceId to) {
    if (is_cpu(from) || is_cpu(to)) return false;
    for (const std::uint16_t channel : machine.route(from, to)) {
      const std::size_t end = machine.channels()[channel].to;
      if (end < machine.num_devices() && is_cpu(DeviceId(end))) return false;
    }
    return true;
  };
  const auto host = machine.first_of(DeviceKind::kCpu);
  for (const OpId op : graph.ops()) {
    work[index(plan.device(op))] += problem.duration(op, plan.device(op));
    for (const TensorId tensor : graph.outputs(op)) {
      std::set<DeviceId> readers;
      for (const OpId reader : graph.consumers(tensor)) readers.insert(plan.device(reader));
      readers.erase(plan.device(op));
      bool by_host = false;
      for (const DeviceId reader : readers) {
        if (is_direct(plan.device(op), reader)) {
          send(tensor, plan.device(op), reader, {plan.device(op), reader});
        } else {
          by_host = true;
          if (!is_cpu(reader)) send(tensor, *host, reader, {reader});
        }
      }
      if (by_host && !is_cpu(plan.device(op))) send(tensor, plan.device(op), *host, {plan.device(op)});
    }
  }
  Picoseconds largest = 0;
  for (const DeviceId id : machine.device_ids()) {
    const Picoseconds lanes = machine.device(id).lanes;
    largest = std::max(largest, (work[index(id)] + lanes - 1) / lanes + transfers[index(id)]);
  }
  for (const Picoseconds queue : queues) largest = std::max(largest, queue);
  return largest;
}

TEST(Pipeline, EqualsTheReference) {
  int direct = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Problem problem = as_pipeline(random_problem(rng, 4 + seed));
    direct += PipelineModel(problem).is_separable() ? 0 : 1;
    for (int i = 0; i < 20; ++i) {
      const Plan plan = random_plan(problem, rng);
      ASSERT_EQ(simulate(problem, plan).step_time, reference_load(problem, plan)) << seed;
    }
  }
  EXPECT_GT(direct, 5);
  EXPECT_LT(direct, 55);
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
        if (!model.is_separable()) {
          loads.move(unit, to);
          continue;
        }
        const PipelineLoads::Effect effect = loads.effect_of_move(unit, to);
        loads.move(unit, to);
        ASSERT_EQ(effect.from, loads.load(from));
        ASSERT_EQ(effect.to, loads.load(to));
      }
    }
  }
}

TEST(PipelineLoads, TellsEqualDevicesFromOthers) {
  const Problem problem = toy("a:2/3/3:4B -> b:10/9/9", kPipelineMachine);
  const PipelineModel model(problem);
  EXPECT_TRUE(model.equal_costs(DeviceId{1}, DeviceId{2}));
  EXPECT_FALSE(model.equal_costs(DeviceId{0}, DeviceId{1}));
}

TEST(PipelineLoads, CountsWhatLimitsCount) {
  const Problem base = toy_problem("a:1 -> b:1 -> c:1; w:param -> c", kPipelineMachine);
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
