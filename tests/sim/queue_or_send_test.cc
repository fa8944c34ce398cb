// SPDX-License-Identifier: Apache-2.0
// Bounds that know that ops on one device queue and that ops on two send, on examples small enough for paper.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/bounds/bounds.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

double seconds(const LowerBound& bound, BoundKind kind) { return to_seconds(bound[kind]); }

const std::string kTwoGates = "h:1 -> a:3 -> j:1; h -> b:3 -> j";

TEST(QueueOrSend, GatesQueueWhereLinksAreSlow) {
  // On one device 1 + 3 + 3 + 1. With a beside h and b beside j, j begins once either has waited for a transfer, at 7.
  const Problem problem = toy_problem(kTwoGates, "2 devices, 3 s per edge");
  const LowerBound bound = lower_bound(problem);
  EXPECT_EQ(seconds(bound, BoundKind::kPath), 5);
  EXPECT_EQ(seconds(bound, BoundKind::kTransfers), 5);
  EXPECT_EQ(seconds(bound, BoundKind::kQueueOrSend), 8);
  EXPECT_EQ(bound.kind(), BoundKind::kQueueOrSend);
  EXPECT_EQ(to_seconds(simulate(problem, toy_plan(problem, "")).step_time), 8);
  EXPECT_NE(reason_of(problem, bound).find("queue on one device or send"), std::string::npos);
}

TEST(QueueOrSend, GatesPartWhereLinksAreFast) {
  // h and a on one device, b and j on the other: everything is sent once.
  const Problem problem = toy_problem(kTwoGates, "2 devices, 0.5 s per edge");
  EXPECT_EQ(seconds(lower_bound(problem), BoundKind::kQueueOrSend), 5.5);
  EXPECT_EQ(to_seconds(simulate(problem, toy_plan(problem, "h@0 a@0 b@1 j@1")).step_time), 5.5);
}

TEST(QueueOrSend, ASecondLaneHoldsTheSecondGate) {
  const Problem problem = toy_problem(kTwoGates, "device x lanes=2; device y lanes=2; link x y latency=2");
  EXPECT_EQ(to_seconds(lower_bound(problem).value()), 5);
}

TEST(QueueOrSend, APortSendsOneAfterTheOther) {
  // h beside one gate, j beside another: the port of h's device sends to three others, so one of the gates there begins
  // at 4 at the earliest and j at 8. Any other way takes longer; without the queue at the port j could begin at 7.
  const std::string ports =
      "device w; device x; device y; device z; link w * rate=1 oneway bus=w; link x * rate=1 oneway bus=x; "
      "link y * rate=1 oneway bus=y; link z * rate=1 oneway bus=z";
  const std::string gates = "h:1 -> a:4 -> j:1; h -> b:4 -> j; h -> c:4 -> j; h -> d:4 -> j";
  const Problem problem = toy_problem(gates, ports);
  EXPECT_EQ(seconds(lower_bound(problem), BoundKind::kQueueOrSend), 9);
  EXPECT_EQ(to_seconds(simulate(problem, toy_plan(problem, "h@w a@w b@x c@y d@z j@z")).step_time), 9);
}

TEST(QueueOrSend, WhatMustBeOnTwoDevicesIsSent) {
  // b runs on the second device alone.
  const Problem problem = toy_problem("a:1/- -> b:-/1 -> c:1/-", "2 devices, 2 s per edge");
  const LowerBound bound = lower_bound(problem);
  EXPECT_EQ(seconds(bound, BoundKind::kPath), 3);
  EXPECT_EQ(seconds(bound, BoundKind::kTransfers), 7);
  EXPECT_EQ(bound.kind(), BoundKind::kTransfers);
}

TEST(QueueOrSend, PhasesAddUp) {
  // Six ops side by side between a and b, six more between b and c, two devices, links that cost nothing: that takes
  // 1 + 3 + 1 + 3 + 1. All work together takes 7.5, the chain 5.
  std::string graph = "a:1; b:1; c:1";
  for (int i = 0; i < 6; ++i) graph += fmt::format("; a -> p{}:1 -> b; b -> q{}:1 -> c", i, i);
  const LowerBound bound = lower_bound(toy_problem(graph, "2 devices"));
  EXPECT_EQ(seconds(bound, BoundKind::kWork), 7.5);
  EXPECT_EQ(seconds(bound, BoundKind::kQueueOrSend), 9);
}

TEST(QueueOrSend, UnitsStayTogether) {
  // a and b share a device, so they queue, however fast links are.
  const Problem problem = toy_problem("h:1 -> a:3:group=g -> j:1; h -> b:3:group=g -> j", "2 devices");
  EXPECT_EQ(to_seconds(lower_bound(problem).value()), 8);
}

TEST(Bounds, EveryKindHasAName) {
  std::set<std::string_view> names;
  for (std::size_t kind = 0; kind < kBoundKinds; ++kind) names.insert(name_of(static_cast<BoundKind>(kind)));
  EXPECT_EQ(names.size(), kBoundKinds);
  EXPECT_EQ(name_of(BoundKind::kQueueOrSend), "queue or send");
  EXPECT_EQ(name_of(BoundKind::kLargestUnit), "largest unit");
}

}  // namespace
}  // namespace berth
