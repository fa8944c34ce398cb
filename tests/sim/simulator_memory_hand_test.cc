// SPDX-License-Identifier: Apache-2.0
// The rules of memory and of fusion (docs/simulator.md, 5 and 6), each with a case to be checked on paper.
#include <gtest/gtest.h>

#include "sim/simulator.h"
#include "support/hand_case.h"
#include "support/reference_simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

// Rule 5.

TEST(SimulatorMemoryHand, FreesOfAnInstantComeBeforeItsAllocations) {
  // a [0,2), b [1,3), c [2,3): never three at once.
  expect_on_paper({.graph = "a:1:4B -> b:1:4B -> c:1:4B",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-1 | b@0 1-2 | c@0 2-3",
                   .peaks = "0:8"});
}

TEST(SimulatorMemoryHand, AnUnusedOutputLivesAsLongAsItsOpAndAnUnusedInputNotAtAll) {
  // a.0 [0,2), a.1 [0,1), b [1,2); x takes nothing.
  expect_on_paper({.graph = "a:1:5B:3B -> b:1:2B; x:input:100B",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-1 | b@0 1-2",
                   .peaks = "0:8"});
}

TEST(SimulatorMemoryHand, InputsLiveFromZeroToTheirLastUse) {
  // x [0,3) and y [0,2), with a [0,3), b [2,3): 8 + 2 + 1, then 8 + 1 + 4.
  expect_on_paper({.graph = "y:input:2B -> a:2:1B -> b:1:4B; x:input:8B -> b",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-2 | b@0 2-3",
                   .peaks = "0:13"});
}

TEST(SimulatorMemoryHand, ResidentsStayFromBeforeZeroToTheEnd) {
  // Adam: w counts three times, the untrained p once, buffer and constant once; u's byte [1,2) and g's 2 bytes [0,2).
  constexpr std::string_view kGraph =
      "w:param:8B -> g:1:2B -> u:1:1B:update=w; p:param:4B -> g; b:buffer:16B -> g; c:const:32B -> g";
  expect_on_paper({.graph = std::string(kGraph) + "; optimizer adam",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "g@0 0-1 | u@0 1-2",
                   .peaks = "0:79"});
  expect_on_paper({.graph = std::string(kGraph) + "; optimizer momentum",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "g@0 0-1 | u@0 1-2",
                   .peaks = "0:71"});
  expect_on_paper(
      {.graph = kGraph, .machine = "1 devices", .plan = "", .timeline = "g@0 0-1 | u@0 1-2", .peaks = "0:63"});
}

TEST(SimulatorMemoryHand, ARemoteCopyOfAParameterIsAnOrdinaryCopy) {
  // Device 1 has w's copy in [0,3), a's byte [2,3), and after that only b's 2 bytes.
  expect_on_paper({.graph = "w:param:2B -> a:1 -> b:1:2B",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "w@0 a@1 b@1",
                   .timeline = "w>1 0-2 | a@1 2-3 | b@1 3-4",
                   .peaks = "0:2 1:3"});
}

TEST(SimulatorMemoryHand, AnOutputIsHeldUntilItHasLeftItsFirstLink) {
  // On gpu0: a [0,3), e 5 bytes [1,4), f 6 bytes [4,5). The second link is busy until 7; that is not gpu0's affair.
  expect_on_paper({.graph = "a:1:2B -> b:1; e:3:5B => f:1:6B",
                   .machine = "device cpu; device gpu0; device gpu1; link cpu gpu0 rate=1; link cpu gpu1 rate=0.5",
                   .plan = "a@gpu0 b@gpu1 e@gpu0 f@gpu0",
                   .timeline = "a@gpu0 0-1 | a>gpu1 1-3 | e@gpu0 1-4 | a>gpu1 3-7 | f@gpu0 4-5 | b@gpu1 7-8",
                   .peaks = "cpu:0 gpu0:7 gpu1:3"});
}

TEST(SimulatorMemoryHand, AnOutputThatWaitsForItsLinkIsHeldMeanwhile) {
  // a's 2 bytes leave by 3, b's 3 bytes (made in [1,2)) only in [3,6); c's 4 bytes live in [2,3): 2 + 3 + 4.
  expect_on_paper({.graph = "a:1:2B -> x:1; b:1:3B -> x; c:1:4B",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "a@0 b@0 c@0 x@1",
                   .timeline = "a@0 0-1 | a>1 1-3 | b@0 1-2 | c@0 2-3 | b>1 3-6 | x@1 6-7",
                   .peaks = "0:9 1:6"});
}

TEST(SimulatorMemoryHand, AViewSharesAndProlongsTheStorageItWasMadeFrom) {
  // a [0,4): b reads it through v and w until 4. With c and d: 4 + 1 + 2 in [2,3), 4 + 2 + 1 in [3,4).
  expect_on_paper({.graph = "a:1:4B -> c:1:1B -> d:1:2B; a -> v:view:4B -> w:view:4B -> b:1:1B; d -> b",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-1 | c@0 1-2 | d@0 2-3 | b@0 3-4",
                   .peaks = "0:7"});
}

TEST(SimulatorMemoryHand, AViewOfAReceivedCopyProlongsThatCopy) {
  // Device 1: the copy of a 4 bytes [1,7), b 1 byte [5,7), c 2 bytes [6,7).
  expect_on_paper({.graph = "a:1:4B -> v:view:4B -> b:1:1B -> c:1:2B; v -> c",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "a@0 v@1 b@1 c@1",
                   .timeline = "a@0 0-1 | a>1 1-5 | b@1 5-6 | c@1 6-7",
                   .peaks = "0:4 1:7"});
}

TEST(SimulatorMemoryHand, AViewIsSentAsATensorOfItsOwn) {
  // v has 1 of a's 4 bytes. It holds a until it has left at 2; device 1 views v's copy again and sends 3 bytes back.
  expect_on_paper({.graph = "a:1:4B -> v:view:1B -> w:view:3B -> b:1:2B; e:1:5B",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "a@0!1 v@0 w@1 b@0 e@0",
                   .timeline = "a@0 0-1 | v>1 1-2 | e@0 1-2 | w>0 2-5 | b@0 5-6",
                   .peaks = "0:9 1:1"});
}

TEST(SimulatorMemoryHand, GraphOutputsStayToTheEndAlsoThroughViews) {
  // Without the mark a would be gone at 2; with it d's byte comes on top: a 4 + c 1 + d 1.
  expect_on_paper({.graph = "a:1:4B -> c:1 -> d:1; a -> v:view:4B",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-1 | c@0 1-2 | d@0 2-3",
                   .peaks = "0:5"});
  expect_on_paper({.graph = "a:1:4B -> c:1 -> d:1; a -> v:view:4B:out",
                   .machine = "1 devices",
                   .plan = "",
                   .timeline = "a@0 0-1 | c@0 1-2 | d@0 2-3",
                   .peaks = "0:6"});
}

TEST(SimulatorMemoryHand, TheCopyOfAGraphOutputElsewhereIsNotKept) {
  // On device 1 the copy of a lives in [1,4), then d's 3 bytes in [4,5) stand beside b's 1: 2 + 1, then 1 + 3.
  expect_on_paper({.graph = "a:1:2B:out -> b:1:1B -> d:1:3B",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "a@0 b@1 d@1",
                   .timeline = "a@0 0-1 | a>1 1-3 | b@1 3-4 | d@1 4-5",
                   .peaks = "0:2 1:4"});
}

TEST(SimulatorMemoryHand, APoolCountsWhatItsDevicesHoldTogether) {
  constexpr std::string_view kMachine = "pool shared 6B; device cpu pool=shared; device gpu pool=shared; link cpu gpu";
  const auto expect = [&](std::string_view graph, std::string_view peaks, Bytes over) {
    const Problem problem = toy_problem(graph, kMachine);
    const Plan plan = toy_plan(problem, "a@cpu b@gpu");
    for (const Timeline& timeline : {reference_simulate(problem, plan), simulate_timeline(problem, plan)}) {
      EXPECT_EQ(peaks_text(problem, timeline.score), peaks);
      EXPECT_EQ(timeline.score.feasible, over == 0);
      EXPECT_EQ(timeline.score.overflow ? timeline.score.overflow->over : 0, over);
    }
  };
  expect("a:1:4B => b:1:4B", "cpu:4 gpu:4 shared:4", 0);  // one after the other
  expect("a:1:4B; b:1:4B", "cpu:4 gpu:4 shared:8", 2);    // at once
}

TEST(SimulatorMemoryHand, TheOverflowIsThatOfTheFullestDevice) {
  const Problem problem = toy_problem("a:1:4B; b:1:9B; c:1:5B",
                                      "device cpu memory=4B; device gpu0 memory=5B; device gpu1 memory=3B; "
                                      "link cpu gpu0; link cpu gpu1");
  const Plan plan = toy_plan(problem, "a@cpu b@gpu0 c@gpu1");
  for (const Timeline& timeline : {reference_simulate(problem, plan), simulate_timeline(problem, plan)}) {
    EXPECT_FALSE(timeline.score.feasible);
    ASSERT_TRUE(timeline.score.overflow);
    EXPECT_EQ(timeline.score.overflow->over, 4);
    EXPECT_EQ(timeline.score.step_time, to_picoseconds(1));
  }
}

// Rule 6.

TEST(SimulatorMemoryHand, AFusedGroupSavesTrafficAndLaunchesButNotArithmetic) {
  constexpr std::string_view kGraph = "a:3:compute=1 -> b:3:compute=2";
  expect_on_paper({.graph = kGraph, .machine = "device cpu launch=2 sync", .plan = "{a b}", .timeline = "a@cpu 0-5"});
  expect_on_paper({.graph = kGraph, .machine = "device cpu launch=2", .plan = "{a b}", .timeline = "a@cpu 0-3"});
  expect_on_paper({.graph = kGraph, .machine = "device cpu launch=4", .plan = "{a b}", .timeline = "a@cpu 0-4"});
  expect_on_paper({.graph = kGraph, .machine = "device cpu launch=4", .plan = "", .timeline = "a@cpu 0-3 | b@cpu 3-6"});
}

TEST(SimulatorMemoryHand, AFusedGroupStreamsItsDistinctInputsAndWhatLeavesIt) {
  // x counts once although both read it, a's 100 bytes stay inside, y's 3 and b's 5 come in and go out: 4 + 3 + 5.
  const Problem problem = toy_problem(
      "x:input:4B -> a:1:100B:compute=0 -> b:1:5B:compute=0:out; x -> b; y:input:3B -> b", "device cpu rate=1");
  const Plan plan = toy_plan(problem, "{a b}");
  const Picoseconds expected = to_picoseconds(12 / problem.streaming_bytes_per_s(DeviceId{0}));
  for (const Timeline& timeline : {reference_simulate(problem, plan), simulate_timeline(problem, plan)}) {
    EXPECT_GT(expected, to_picoseconds(11));
    EXPECT_EQ(timeline.score.step_time, expected);
    EXPECT_EQ(peaks_text(problem, timeline.score), "cpu:12");
  }
}

TEST(SimulatorMemoryHand, AFusedGroupAllocatesOnlyWhatLeavesIt) {
  // x [0,4), b [0,5), c [4,5); a's 8 bytes never exist.
  expect_on_paper({.graph = "x:input:4B -> a:2:8B -> b:2:2B -> c:1:1B; x -> b",
                   .machine = "1 devices",
                   .plan = "{a b}",
                   .timeline = "a@0 0-4 | c@0 4-5",
                   .peaks = "0:6"});
}

TEST(SimulatorMemoryHand, AFusedGroupWaitsForAllItNeedsAndEndsAsOne) {
  // b needs y from device 1 at 3, so a waits for it too; c needs only a, yet waits for the group's end; so does d.
  expect_on_paper({.graph = "a:1 -> b:1; y:2 -> b; a -> c:1; a => d:1",
                   .machine = "2 devices, 1 s per edge",
                   .plan = "a@0 b@0 y@1 c@0 d@0 {b a}",
                   .timeline = "y@1 0-2 | y>0 2-3 | a@0 3-5 | c@0 5-6 | d@0 6-7"});
}

TEST(SimulatorMemoryHand, AFusedGroupHasItsLowestIdAndItsHighestPriority) {
  // Ids a 0, p 1, q 2, b 3. Group {a b}: as a it goes before p; with b's priority before anybody.
  expect_on_paper({.graph = "a:1; p:1; q:1; a -> b:1",
                   .machine = "1 devices",
                   .plan = "{a b}",
                   .timeline = "a@0 0-2 | p@0 2-3 | q@0 3-4"});
  expect_on_paper({.graph = "p:1; a:1; q:1; a -> b:1",
                   .machine = "1 devices",
                   .plan = "p@0!1 q@0!2 a@0!-5 b@0!3 {a b}",
                   .timeline = "a@0 0-2 | q@0 2-3 | p@0 3-4"});
}

TEST(SimulatorMemoryHand, ALeavingViewOfAGroupHasStorageOfItsOwn) {
  // x 8 bytes [0,2): the group reads it, v does not share it. v [0,4), a [0,3), c [2,4), d [3,4): 8 + 3 + 1 is the
  // most.
  expect_on_paper({.graph = "x:input:8B -> v:view:3B -> a:2:1B -> c:1:4B -> d:1:4B; v -> d",
                   .machine = "1 devices",
                   .plan = "{v a}",
                   .timeline = "v@0 0-2 | c@0 2-3 | d@0 3-4",
                   .peaks = "0:12"});
}

TEST(SimulatorMemoryHand, AFusedGroupSendsOnlyWhatIsNeededElsewhere) {
  expect_on_paper({.graph = "a:1:9B -> b:1:2B -> x:1; b -> y:1",
                   .machine = "2 devices, 1 s per byte",
                   .plan = "a@0 b@0 x@1 y@1 {a b}",
                   .timeline = "a@0 0-2 | b>1 2-4 | x@1 4-5 | y@1 5-6",
                   .peaks = "0:2 1:3",
                   .queues = "0>1 2s 2B | 1>0 0s 0B"});
}

}  // namespace
}  // namespace berth
