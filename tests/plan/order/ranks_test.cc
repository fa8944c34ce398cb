// SPDX-License-Identifier: Apache-2.0
#include "plan/order/ranks.h"

#include <gtest/gtest.h>

#include "plan/toys.h"

namespace berth {
namespace {

std::string in_seconds(std::span<const double> ranks) {
  std::string text;
  for (const double rank : ranks) text += fmt::format("{}{:g}", text.empty() ? "" : " ", rank / 1e12);
  return text;
}

TEST(UpwardRanks, AreMeansBeforePlacement) {
  // Pairs of the two devices: 1 s there, 3 s back, so 2 s on average. d: 2; b: 3+2+2; c: 5+2+2; a: 1.5+2+9.
  const Problem problem = toy_problem("a:1/2 -> b:2/4 -> d:2; a -> c:5 -> d",
                                      "device x; device y; link x y latency=1 oneway; link y x latency=3 oneway");
  EXPECT_EQ(in_seconds(upward_ranks(problem)), "12.5 7 2 9");
}

TEST(UpwardRanks, MeanOverTheDevicesAnOpMayBeOn) {
  EXPECT_EQ(in_seconds(upward_ranks(toy_problem("a:-/4/6", "3 devices"))), "5");
}

TEST(UpwardRanks, TheWayIntoAViewIsFreeAndControlCostsLatency) {
  const Problem problem =
      toy_problem("a:1:8B -> v:view:8B -> b:1 => c:1", "device x; device y; link x y latency=1 rate=8");
  EXPECT_EQ(in_seconds(upward_ranks(problem)), "6 5 3 1");  // v to b: 1 + 8/8; b to c: the latency alone
}

TEST(UpwardRanks, OfAPlanCountTheWaysItTakes) {
  const Problem problem =
      toy_problem("a:1:8B -> b:2 -> d:2; a -> c:5 -> d",
                  "device x; device cpu; device y; link x cpu latency=1 rate=8; link cpu y latency=2 rate=4");
  EXPECT_EQ(in_seconds(upward_ranks(problem, toy_plan(problem, "a@x b@x c@x d@x"))), "8 4 2 7");
  // Through the cpu, a to c: 1 + 8/8 + 2 + 8/4 = 6; c to d: 2 + 1/4 + 1 + 1/8 = 3.375.
  EXPECT_EQ(in_seconds(upward_ranks(problem, toy_plan(problem, "a@x b@x c@y d@x"))), "17.375 4 2 10.375");
}

TEST(UpwardRanks, OrderIsTopologicalEvenAmongTimelessOps) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 60);
    const std::vector<OpId> order = order_by_rank(problem, upward_ranks(problem));
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = i;
    for (const OpId op : problem.graph().ops()) {
      for (const TensorId tensor : problem.graph().inputs(op)) {
        EXPECT_LT(place[index(problem.graph().producer(tensor))], place[index(op)]);
      }
      for (const OpId before : problem.graph().control_inputs(op)) EXPECT_LT(place[index(before)], place[index(op)]);
    }
  }
}

}  // namespace
}  // namespace berth
