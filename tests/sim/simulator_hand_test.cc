// SPDX-License-Identifier: Apache-2.0
// The rules of time (docs/simulator.md, 1 to 4 and 7), each with a case to be checked on paper.
#include <gtest/gtest.h>

#include "sim/simulator.h"
#include "support/hand_case.h"
#include "support/reference_simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// Two GPUs that reach each other through the host.
constexpr std::string_view kStar = "device cpu; device gpu0; device gpu1; link cpu gpu0 rate=1; link cpu gpu1 rate=1";

// Rule 1.

TEST(SimulatorHand, HigherPriorityGoesBeforeEarlierReady) {
  expect_on_paper({.graph = "a:2 -> c:1; b:3; d:1",
                   .machine = "1 devices",
                   .plan = "a@0!1 b@0 c@0!5 d@0!-1",
                   .timeline = "a@0 0-2 | c@0 2-3 | b@0 3-6 | d@0 6-7"});
}

TEST(SimulatorHand, AmongEqualsTheEarliestReadyThenTheLowestIdGoesFirst) {
  // Ids: a 0, c 1, b 2, d 3. At 2 both b and d have waited since 0, c is new.
  expect_on_paper({.graph = "a:2 -> c:1; b:2; d:1",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-2 | b@0 2-4 | d@0 4-5 | c@0 5-6"});
}

TEST(SimulatorHand, ARunningOpIsNotPreemptedAndNobodyWaitsForABetterOne) {
  expect_on_paper({.graph = "a:5; b:1 -> c:1",
                   .machine = "2 devices, 1 s per edge",
                   .plan = "a@0 b@1 c@0!9",
                   .timeline = "a@0 0-5 | b@1 0-1 | b>0 1-2 | c@0 5-6"});
}

TEST(SimulatorHand, LanesRunOpsSideBySide) {
  const Problem problem = toy_problem("a:3; b:2; c:2; d:1", "device cpu lanes=2");
  const Plan plan = toy_plan(problem, "");
  for (const Timeline& timeline : {reference_simulate(problem, plan), simulate_timeline(problem, plan)}) {
    EXPECT_EQ(to_text(problem, timeline), "a@cpu 0-3 | b@cpu 0-2 | c@cpu 2-4 | d@cpu 3-4");
    EXPECT_EQ(timeline.score.devices[0].busy, to_picoseconds(8));
    EXPECT_EQ(timeline.score.step_time, to_picoseconds(4));
  }
}

TEST(SimulatorHand, ADeviceMayBeSlowerThanAnother) {
  expect_on_paper({.graph = "a:2/5 -> b:1/4",
                   .machine = "2 devices, 1 s per edge",
                   .plan = "a@1 b@0",
                   .timeline = "a@1 0-5 | a>0 5-6 | b@0 6-7"});
}

// Rule 2.

TEST(SimulatorHand, TimelessOpsTakeNoLane) {
  // z and v are done at 1 although c runs then.
  expect_on_paper({.graph = "a:1 -> z:0 -> v:view -> b:1; c:3",
                   .machine = "2 devices",
                   .plan = "a@0 z@1 v@1 b@0 c@1",
                   .timeline = "a@0 0-1 | c@1 0-3 | b@0 1-2"});
}

TEST(SimulatorHand, TransfersThatCostNothingTakeNoLink) {
  expect_on_paper({.graph = "a:1:9B -> b:1",
                   .machine = "2 devices",
                   .plan = "a@0 b@1",
                   .timeline = "a@0 0-1 | b@1 1-2",
                   .queues = "0>1 0s 0B | 1>0 0s 0B"});
}

TEST(SimulatorHand, AnEmptyTensorStillPaysTheLatency) {
  expect_on_paper({.graph = "a:1:0B -> b:1",
                   .machine = "2 devices, 2 s per edge",
                   .plan = "a@0 b@1",
                   .timeline = "a@0 0-1 | a>1 1-3 | b@1 3-4",
                   .queues = "0>1 2s 0B | 1>0 0s 0B"});
}

TEST(SimulatorHand, ARemoteControlEdgeCostsTheLatencyAndOccupiesNothing) {
  // b waits 3 s for a's signal, while the link is busy with a's output for d from 1 to 4 all the same.
  expect_on_paper({.graph = "a:1 => b:1; a => c:1; a -> d:1",
                   .machine = "2 devices, 3 s per edge",
                   .plan = "a@0 b@1 c@0 d@1",
                   .timeline = "a@0 0-1 | a>1 1-4 | c@0 1-2 | b@1 4-5 | d@1 5-6",
                   .queues = "0>1 3s 1B | 1>0 0s 0B"});
}

TEST(SimulatorHand, AControlEdgeOverTwoLinksAddsTheirLatencies) {
  expect_on_paper({.graph = "a:1 => b:1",
                   .machine = "device cpu; device gpu0; device gpu1; link cpu gpu0 latency=2; link cpu gpu1 latency=3",
                   .plan = "a@gpu0 b@gpu1",
                   .timeline = "a@gpu0 0-1 | b@gpu1 6-7"});
}

// Rule 3.

TEST(SimulatorHand, TransferDelaysOnlyTheRemoteConsumer) {
  expect_on_paper({.graph = "a:2 -> b:3; a -> c:3",
                   .machine = "2 devices, 1 s per edge",
                   .plan = "a@0 b@0 c@1",
                   .timeline = "a@0 0-2 | a>1 2-3 | b@0 2-5 | c@1 3-6"});
}

TEST(SimulatorHand, ATensorIsSentOncePerDestination) {
  expect_on_paper({.graph = "a:1:4B -> b:1; a -> c:1; a -> d:1",
                   .machine = "3 devices, 1 s per byte",
                   .plan = "a@0 b@1 c@1 d@2",
                   .timeline = "a@0 0-1 | a>1 1-5 | a>2 1-5 | b@1 5-6 | d@2 5-6 | c@1 6-7",
                   .queues = "0>1 4s 4B | 1>0 0s 0B | 0>2 4s 4B | 2>0 0s 0B | 1>2 0s 0B | 2>1 0s 0B"});
}

TEST(SimulatorHand, RequestsOfOneInstantQueueByProducerThenOutput) {
  // a and b end together; the order is a.0, a.1, b.
  expect_on_paper({.graph = "a:1:2B:1B -> x:1; b:1 -> y:1; a.1 -> z:1",
                   .machine = "device cpu0 lanes=2; device cpu1 lanes=3; link cpu0 cpu1 rate=1",
                   .plan = "a@cpu0 b@cpu0 x@cpu1 y@cpu1 z@cpu1",
                   .timeline = "a@cpu0 0-1 | b@cpu0 0-1 | a>cpu1 1-3 | a.1>cpu1 3-4 | x@cpu1 3-4 | b>cpu1 4-5 | "
                               "z@cpu1 4-5 | y@cpu1 5-6"});
}

TEST(SimulatorHand, RequestsOfOneTensorQueueByDestination) {
  expect_on_paper({.graph = "a:1 -> x:1; a -> y:1",
                   .machine = "device cpu0; device cpu1; device cpu2; link cpu0 cpu1 rate=1 bus=pci; "
                              "link cpu0 cpu2 rate=1 bus=pci; link cpu1 cpu2",
                   .plan = "a@cpu0 x@cpu2 y@cpu1",
                   .timeline = "a@cpu0 0-1 | a>cpu1 1-2 | a>cpu2 2-3 | y@cpu1 2-3 | x@cpu2 3-4"});
}

TEST(SimulatorHand, WhoComesFirstIsServedFirstWhateverItsId) {
  expect_on_paper({.graph = "a:2 -> x:1; b:1:3B -> y:1",
                   .machine = "device cpu0 lanes=2; device cpu1; link cpu0 cpu1 rate=1",
                   .plan = "a@cpu0 b@cpu0 x@cpu1!9 y@cpu1",
                   .timeline = "a@cpu0 0-2 | b@cpu0 0-1 | b>cpu1 1-4 | a>cpu1 4-5 | y@cpu1 4-5 | x@cpu1 5-6"});
}

TEST(SimulatorHand, FullDuplexCarriesBothWaysAtOnceHalfDuplexDoesNot) {
  constexpr std::string_view kGraph = "a:1:2B -> x:1; b:1:2B -> y:1";
  constexpr std::string_view kPlan = "a@cpu0 x@cpu1 b@cpu1 y@cpu0";
  expect_on_paper({.graph = kGraph,
                   .machine = "device cpu0; device cpu1; link cpu0 cpu1 rate=1",
                   .plan = kPlan,
                   .timeline = "a@cpu0 0-1 | b@cpu1 0-1 | a>cpu1 1-3 | b>cpu0 1-3 | x@cpu1 3-4 | y@cpu0 3-4",
                   .queues = "cpu0>cpu1 2s 2B | cpu1>cpu0 2s 2B"});
  expect_on_paper({.graph = kGraph,
                   .machine = "device cpu0; device cpu1; link cpu0 cpu1 rate=1 half",
                   .plan = kPlan,
                   .timeline = "a@cpu0 0-1 | b@cpu1 0-1 | a>cpu1 1-3 | b>cpu0 3-5 | x@cpu1 3-4 | y@cpu0 5-6",
                   .queues = "cpu0-cpu1 4s 4B"});
}

TEST(SimulatorHand, LinksOfOneBusShareItsQueue) {
  expect_on_paper({.graph = "a:1:2B -> x:1; b:1:2B -> y:1",
                   .machine = "device cpu0; device cpu1; device cpu2; link cpu0 cpu1 rate=1 bus=pci; "
                              "link cpu2 cpu1 rate=2 bus=pci; link cpu0 cpu2",
                   .plan = "a@cpu0 x@cpu1 b@cpu2 y@cpu1",
                   .timeline = "a@cpu0 0-1 | b@cpu2 0-1 | a>cpu1 1-3 | b>cpu1 3-4 | x@cpu1 3-4 | y@cpu1 4-5",
                   .queues = "pci 3s 4B | cpu0>cpu2 0s 0B | cpu2>cpu0 0s 0B"});
}

TEST(SimulatorHand, AnUncontendedLinkHasNoQueue) {
  expect_on_paper({.graph = "a:1:2B:3B -> x:1; a.1 -> y:1; b:2 -> z:1; w:1",
                   .machine = "device cpu0; device cpu1; link cpu0 cpu1 rate=1 free",
                   .plan = "a@cpu0 b@cpu0 x@cpu1 y@cpu1 z@cpu1 w@cpu1",
                   .timeline = "a@cpu0 0-1 | w@cpu1 0-1 | a>cpu1 1-3 | a.1>cpu1 1-4 | b@cpu0 1-3 | b>cpu1 3-4 | "
                               "x@cpu1 3-4 | y@cpu1 4-5 | z@cpu1 5-6"});
}

TEST(SimulatorHand, ARouteOfTwoLinksStoresAndForwardsAndItsRelayHoldsNothing) {
  // gpu1 holds the copy from 3, and b's byte from 5.
  expect_on_paper({.graph = "a:1:2B -> b:1",
                   .machine = kStar,
                   .plan = "a@gpu0 b@gpu1",
                   .timeline = "a@gpu0 0-1 | a>gpu1 1-3 | a>gpu1 3-5 | b@gpu1 5-6",
                   .peaks = "cpu:0 gpu0:2 gpu1:3",
                   .queues = "cpu>gpu0 0s 0B | gpu0>cpu 2s 2B | cpu>gpu1 2s 2B | gpu1>cpu 0s 0B"});
}

TEST(SimulatorHand, ARelayQueuesAnewBehindWhoIsThere) {
  expect_on_paper({.graph = "a:1:2B -> b:1; c:1:4B -> d:1",
                   .machine = kStar,
                   .plan = "a@gpu0 b@gpu1 c@cpu d@gpu1",
                   .timeline = "a@gpu0 0-1 | c@cpu 0-1 | a>gpu1 1-3 | c>gpu1 1-5 | a>gpu1 5-7 | d@gpu1 5-6 | "
                               "b@gpu1 7-8"});
}

TEST(SimulatorHand, ARelayedTransferAndANewOneOfTheSameInstantQueueByProducer) {
  // a reaches the host at 3, when c ends there: a's id is lower. Then the other way round.
  expect_on_paper({.graph = "a:1:2B -> b:1; c:3 -> d:1",
                   .machine = kStar,
                   .plan = "a@gpu0 b@gpu1 c@cpu d@gpu1",
                   .timeline = "a@gpu0 0-1 | c@cpu 0-3 | a>gpu1 1-3 | a>gpu1 3-5 | c>gpu1 5-6 | b@gpu1 5-6 | "
                               "d@gpu1 6-7"});
  expect_on_paper({.graph = "c:3 -> d:1; a:1:2B -> b:1",
                   .machine = kStar,
                   .plan = "a@gpu0 b@gpu1 c@cpu d@gpu1",
                   .timeline = "c@cpu 0-3 | a@gpu0 0-1 | a>gpu1 1-3 | c>gpu1 3-4 | a>gpu1 4-6 | d@gpu1 4-5 | "
                               "b@gpu1 6-7"});
}

TEST(SimulatorHand, AHopThatCostsNothingPassesAtOnce) {
  expect_on_paper({.graph = "a:1:2B -> b:1",
                   .machine = "device cpu; device gpu0; device gpu1; link cpu gpu0; link cpu gpu1 rate=1",
                   .plan = "a@gpu0 b@gpu1",
                   .timeline = "a@gpu0 0-1 | a>gpu1 1-3 | b@gpu1 3-4",
                   .queues = "cpu>gpu0 0s 0B | gpu0>cpu 0s 0B | cpu>gpu1 2s 2B | gpu1>cpu 0s 0B"});
}

TEST(SimulatorHand, RemoteCopiesOfSourcesAreRequestedAtZero) {
  expect_on_paper({.graph = "w:param:2B -> a:1; x:input:3B -> v:view:1B -> a; c:const -> a",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "w@0 x@0 v@0 c@0 a@1",
                   .timeline = "w>1 0-2 | v>1 2-3 | c>1 3-4 | a@1 4-5"});
}

// Rule 4.

TEST(SimulatorHand, AllThatEndsAtAnInstantTakesEffectBeforeTheNextPick) {
  // At 2 device 0 is free and q has waited, but b's copy arrives at 2, and the view of it makes c ready at 2 as well.
  expect_on_paper({.graph = "p:2; q:1; b:1 -> v:view -> c:1",
                   .machine = "2 devices, 1 s per edge",
                   .plan = "p@0 q@0 b@1 v@0 c@0!9",
                   .timeline = "p@0 0-2 | b@1 0-1 | b>0 1-2 | c@0 2-3 | q@0 3-4"});
}

TEST(SimulatorHand, ATimelessChainOverManyDevicesSettlesWithinTheInstant) {
  // a's way to d, through z on a third device, takes no time: d's output queues between b's and a's, by id.
  expect_on_paper({.graph = "b:1 -> x:1; d:0 -> y:1; a:1 -> z:0 -> d; a -> w:1",
                   .machine = "device cpu0 lanes=2; device cpu1 lanes=3; device cpu2; "
                              "link cpu0 cpu1 rate=1; link cpu0 cpu2; link cpu1 cpu2",
                   .plan = "a@cpu0 b@cpu0 z@cpu2 d@cpu0 x@cpu1 y@cpu1 w@cpu1",
                   .timeline = "b@cpu0 0-1 | a@cpu0 0-1 | b>cpu1 1-2 | d>cpu1 2-3 | x@cpu1 2-3 | a>cpu1 3-4 | "
                               "y@cpu1 3-4 | w@cpu1 4-5"});
}

// Rule 7.

TEST(SimulatorHand, TheStepEndsWithTheLastOpEvenATimelessOne) {
  const Problem problem = toy_problem("a:1:2B -> v:view", "2 devices, 1 s per byte");
  const Plan plan = toy_plan(problem, "a@0 v@1");
  for (const Timeline& timeline : {reference_simulate(problem, plan), simulate_timeline(problem, plan)}) {
    EXPECT_EQ(to_text(problem, timeline), "a@0 0-1 | a>1 1-3");
    EXPECT_EQ(timeline.score.step_time, to_picoseconds(3));
    EXPECT_EQ(timeline.op_end, (std::vector{to_picoseconds(1), to_picoseconds(3)}));
    EXPECT_EQ(timeline.op_ready, (std::vector{to_picoseconds(0), to_picoseconds(3)}));
  }
}

TEST(SimulatorHand, AGraphWithoutWorkTakesNoTime) {
  expect_on_paper({.graph = "w:param:5B -> v:view:5B; x:input:7B -> z:0:9B:out",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "",
                   .peaks = "0:5"});
}

}  // namespace
}  // namespace berth
