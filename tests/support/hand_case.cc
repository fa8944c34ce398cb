// SPDX-License-Identifier: Apache-2.0
#include "support/hand_case.h"

#include <gtest/gtest.h>

#include "sim/simulator.h"
#include "support/reference_simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

void expect_equal(const HandCase& hand_case, const Problem& problem, const Timeline& timeline) {
  EXPECT_EQ(to_text(problem, timeline), hand_case.timeline);
  if (!hand_case.peaks.empty()) {
    EXPECT_EQ(peaks_text(problem, timeline.score), hand_case.peaks);
  }
  if (!hand_case.queues.empty()) {
    EXPECT_EQ(queues_text(problem, timeline.score), hand_case.queues);
  }
}

}  // namespace

void expect_on_paper(const HandCase& hand_case) {
  const Problem problem = toy_problem(hand_case.graph, hand_case.machine);
  const Plan plan = toy_plan(problem, hand_case.plan);
  {
    SCOPED_TRACE("reference simulator");
    expect_equal(hand_case, problem, reference_simulate(problem, plan));
  }
  SCOPED_TRACE("simulator");
  expect_equal(hand_case, problem, simulate_timeline(problem, plan));
}

}  // namespace berth
