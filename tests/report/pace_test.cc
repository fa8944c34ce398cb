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

}  // namespace
}  // namespace berth::report
