// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/one_machine.h"

#include <gtest/gtest.h>

namespace berth::exact {
namespace {

Picoseconds last_end(std::vector<Job> jobs) { return OneMachine().last_end(jobs); }

TEST(OneMachine, AddsUpWhatMustFollow) {
  EXPECT_EQ(last_end({}), 0);
  EXPECT_EQ(last_end({{2, 3, 4}}), 9);
  EXPECT_EQ(last_end({{0, 3, 0}, {0, 2, 7}}), 9) << "the longer tail first: 2 + 7, and 5 for the other";
}

TEST(OneMachine, InterruptsForALongerTail) {
  // The long job runs from 0 to 1 and from 3 to 12; the urgent one from 1 to 3 has its tail until 13.
  EXPECT_EQ(last_end({{0, 10, 0}, {1, 2, 10}}), 13);
}

TEST(OneMachine, WaitsWhereNothingIsFree) { EXPECT_EQ(last_end({{5, 1, 0}, {0, 2, 0}}), 6); }

}  // namespace
}  // namespace berth::exact
