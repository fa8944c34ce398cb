// SPDX-License-Identifier: Apache-2.0
#include "plan/weights/streaming.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "machine/devices.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// Five layers, each with a weight of 4 bytes that is read through a view; `times` of one layer on every device.
std::string layers_text(std::string_view times) {
  return fmt::format(
      "w1:param:4B; w2:param:4B; w3:param:4B; w4:param:4B; w5:param:4B; x:input:1B;"
      "w1 -> v1:view:4B; w2 -> v2:view:4B; w3 -> v3:view:4B; w4 -> v4:view:4B; w5 -> v5:view:4B;"
      "x -> a:{0}; v1 -> a; a -> b:{0}; v2 -> b; b -> c:{0}; v3 -> c; c -> d:{0}; v4 -> d; d -> e:{0}:out; v5 -> e",
      times);
}
const std::string kLayers = layers_text("99/1");
constexpr const char* kSmallGpu = "device cpu memory=99B; device gpu memory=14B; link cpu gpu rate=1";

Plan all_on_gpu(const Problem& problem) {
  return toy_plan(
      problem, "w1@gpu w2@gpu w3@gpu w4@gpu w5@gpu v1@gpu v2@gpu v3@gpu v4@gpu v5@gpu a@gpu b@gpu c@gpu d@gpu e@gpu");
}

TEST(Streaming, WeightsTravelAndTheWorkStays) {
  const Problem problem = toy_problem(kLayers, kSmallGpu);
  const Plan start = all_on_gpu(problem);
  ASSERT_FALSE(simulate(problem, start).feasible);
  Search search(problem, {.time_s = 1000});
  const std::optional<Plan> plan = stream_weights(search, start);
  ASSERT_TRUE(plan.has_value());
  const Score score = simulate(problem, *plan);
  EXPECT_TRUE(score.feasible);
  EXPECT_EQ(to_seconds(score.step_time), 19);  // x, then four weights of 4 s each, and two layers
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) != Role::kCompute) continue;
    EXPECT_EQ(plan->device(op), DeviceId{1});
  }
  EXPECT_GT(search.evaluations(), 0U);
}

TEST(Streaming, GivesUpWhereNothingElseHasRoom) {
  const Problem problem = toy_problem(kLayers, "device cpu memory=3B; device gpu memory=14B; link cpu gpu rate=1");
  Search search(problem, {.time_s = 1000});
  EXPECT_FALSE(stream_weights(search, all_on_gpu(problem)).has_value());
}

TEST(Streaming, LeavesAPlanThatFitsAlone) {
  const Problem problem = toy_problem(kLayers, "device cpu memory=99B; device gpu memory=99B; link cpu gpu rate=1");
  Search search(problem, {.time_s = 1000});
  EXPECT_EQ(stream_weights(search, all_on_gpu(problem)), all_on_gpu(problem));
}

TEST(Streaming, FillsWorkersFromTheEnd) {
  const Problem problem =
      toy_problem(layers_text("99/1/1"),
                  "device cpu memory=99B; device gpu0 memory=8B; device gpu1 memory=8B; link cpu gpu0; link cpu gpu1");
  EXPECT_TRUE(outgrows_workers(problem));
  const Plan plan = fill_from_the_end(problem);
  const auto device_of = [&](std::string_view name) {
    for (const OpId op : problem.graph().ops()) {
      if (problem.graph().name(op) == name) return index(plan.device(op));
    }
    return std::size_t{99};
  };
  EXPECT_EQ(device_of("e"), 2U);
  EXPECT_EQ(device_of("w5"), 2U);
  EXPECT_EQ(device_of("d"), 2U);  // 8 of 8 bytes
  EXPECT_EQ(device_of("c"), 1U);
  EXPECT_EQ(device_of("v1"), 1U);
  EXPECT_EQ(device_of("w1"), 1U);
  EXPECT_FALSE(outgrows_workers(toy_problem(kLayers, "device cpu; device gpu memory=20B; link cpu gpu")));
}

TEST(Streaming, UnlimitedWorkersAreNotOutgrownHoweverManyThereAre) {
  std::string machine = "device cpu";  // the capacities add up to more than a number holds
  for (int i = 0; i < 9; ++i) {
    machine += fmt::format("; device gpu{} memory={}B; link cpu gpu{}", i, kUnlimitedMemory, i);
  }
  EXPECT_FALSE(outgrows_workers(toy_problem("w:param:6B -> a:1", machine)));
}

}  // namespace
}  // namespace berth
