// SPDX-License-Identifier: Apache-2.0
#include "report/pace.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth::report {
namespace {

std::string pace(const char* graph, const char* machine, const char* plan) {
  const Problem problem = toy_problem(graph, machine);
  return about_pace(problem, toy_plan(problem, plan)).value_or("nothing");
}

// a takes 2 s on one device, b 3 s on the other: per sample the second has more to do.
TEST(Pace, NamesTheDeviceWithTheLargestLoad) {
  EXPECT_EQ(pace("a:2 -> b:3", "2 devices", "a@0 b@1"),
            "if samples streamed through it (objective pipeline), 1 would set the pace: 3.00 s per sample");
}

TEST(Pace, SaysNothingAboutOneDeviceAndAboutTraining) {
  EXPECT_EQ(pace("a:2 -> b:3", "2 devices", "a@1 b@1"), "nothing");
  EXPECT_EQ(pace("w:param:8B -> a:2 -> b:3; u:1:update=w; b -> u", "2 devices", "w@0 a@0 b@1 u@0"), "nothing");
}

// The second device has 3 s of ops, the first 2 s.
TEST(Pace, SaysWhoIsSlowestAndWhoComesNext) {
  const Problem problem = toy_problem("a:2 -> b:3", "3 devices");
  const Plan plan = toy_plan(problem, "a@0 b@1");
  EXPECT_EQ(pace_text(problem, plan), "1: 3.00 s per sample, 3.00 s of ops and 0 s of transfers");
  EXPECT_EQ(what_sets_the_pace(problem, plan),
            (std::vector<std::string>{"the pace is set by 1: 3.00 s per sample, 3.00 s of ops and 0 s of transfers",
                                      "of the other devices 0 has most to do: 2.00 s, 67 % of that"}));
}

// Both outputs of 4 bytes go over the one bus to the host and back, 1 B/s: 16 s; a device has 2 s of ops and 8 s of
// transfers.
TEST(Pace, ALinkCanBeTheSlowest) {
  const Problem problem = toy_problem("a:1:4B -> b:1:4B; c:1:4B -> d:1:4B",
                                      "device cpu; device g; device h; link cpu g rate=1 bus=pcie; "
                                      "link cpu h rate=1 bus=pcie");
  const Plan plan = toy_plan(problem, "a@g b@h c@h d@g");
  EXPECT_EQ(pace_text(problem, plan), "link pcie: 16.0 s of transfers per sample");
  EXPECT_EQ(what_sets_the_pace(problem, plan).back(), "of the devices g has most to do: 10.0 s, 62 % of that");
}

TEST(Pace, NobodyComesNextWhereOneDoesEverything) {
  const Problem problem = toy_problem("a:2 -> b:3", "2 devices");
  EXPECT_EQ(what_sets_the_pace(problem, toy_plan(problem, "a@1 b@1")).size(), 1U);
}

// GPUs pay for what they send and what they receive: a sends 4 B in 4 s.
TEST(Pace, TransfersCountOnTheDevicesTheyJoin) {
  const Problem problem = toy_problem("a:1:4B -> b:3", "device g; device h; link g h rate=1");
  const Plan plan = toy_plan(problem, "a@g b@h");
  EXPECT_EQ(pace_text(problem, plan), "h: 7.00 s per sample, 3.00 s of ops and 4.00 s of transfers");
  EXPECT_EQ(what_sets_the_pace(problem, plan).back(), "of the other devices g has most to do: 5.00 s, 71 % of that");
}

// An op that takes no time is no work: with it alone on the second device, nothing streams between two.
TEST(Pace, TimelessOpsAreNoWork) {
  EXPECT_EQ(pace("x:input:4B -> a:2", "2 devices", "x@0 a@1"), "nothing");
  EXPECT_EQ(pace("x:input:4B -> a:2 -> b:0", "2 devices", "x@0 a@1 b@0"), "nothing");
}

TEST(Pace, ALinkIsNamedForASingleStepToo) {
  EXPECT_EQ(
      pace("a:1:9B -> b:1; c:1:9B -> d:1",
           "device cpu; device g; device h; link cpu g rate=1 bus=pcie; link cpu h rate=1 bus=pcie", "a@g b@h c@h d@g"),
      "if samples streamed through it (objective pipeline), link pcie would set the pace: 36.0 s per sample");
}

}  // namespace
}  // namespace berth::report
