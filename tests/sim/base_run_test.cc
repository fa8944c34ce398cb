// SPDX-License-Identifier: Apache-2.0
// Runs of the batch simulator's loop that begin at a moment of a base give the times and peaks of full runs.
#include "sim/batch/base_run.h"

#include <gtest/gtest.h>

#include "sim/batch/compact.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "support/nearby_plan.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

std::vector<std::uint8_t> devices_of_plan(const Plan& plan) {
  std::vector<std::uint8_t> devices;
  for (const DeviceId device : plan.device_of) devices.push_back(static_cast<std::uint8_t>(device));
  return devices;
}

void expect_full_score(const Score& expected, const batch::HostRun& run) {
  ASSERT_EQ(run.step_time(), static_cast<batch::Time>(expected.step_time));
  for (std::uint32_t i = 0; i < expected.devices.size(); ++i) ASSERT_EQ(run.peak(i), expected.devices[i].peak);
  for (std::uint32_t i = 0; i < expected.pool_peaks.size(); ++i) ASSERT_EQ(run.pool_peak(i), expected.pool_peaks[i]);
}

struct Begun {
  std::uint64_t at_start = 0, later = 0;
};

// Several bases of a problem in one recorder, each with plans near it.
void expect_near_runs(std::uint64_t seed, std::size_t most_ops, Begun& begun) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Rng rng(seed);
  const Problem problem = random_problem(rng, 1 + rng.below(most_ops));
  const auto compact = batch::CompactProblem::make(problem);
  ASSERT_TRUE(compact.ok()) << compact.error().message;
  batch::HostRun run(compact.value());
  batch::BaseRun base(compact.value(), batch::host_capacities(compact.value()));
  Simulator simulator(problem);
  for (int round = 0; round < 2; ++round) {
    Plan start = random_plan(problem, rng);
    start.fusions.clear();
    batch::Ranking ranking;
    ranking.set(compact->view(), start.priority);
    ASSERT_TRUE(base.record(devices_of_plan(start), ranking));
    for (int i = 0; i < 8; ++i) {
      const Plan plan = i == 0 ? start : nearby_plan(problem, start, rng);
      ASSERT_TRUE(run.run_from(base, devices_of_plan(plan), plan.priority));
      ASSERT_NO_FATAL_FAILURE(expect_full_score(simulator.run(plan), run)) << i << "\n" << describe(problem, plan);
      ++(run.moment() > 0 ? begun.later : begun.at_start);
    }
  }
}

void expect_near_runs(std::uint64_t first_seed, std::uint64_t last_seed, std::size_t most_ops, double least_share) {
  Begun begun;
  for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_near_runs(seed, most_ops, begun));
  }
  EXPECT_GT(static_cast<double>(begun.later), least_share * static_cast<double>(begun.at_start))
      << "nothing is skipped";
}

TEST(BaseRun, NearRunsOfTinyProblemsAreExact) { expect_near_runs(1, 2500, 12, 0.1); }
TEST(BaseRun, NearRunsOfSmallProblemsAreExact) { expect_near_runs(10'001, 12'000, 60, 0.2); }
TEST(BaseRun, NearRunsOfMiddlingProblemsAreExact) { expect_near_runs(20'001, 20'150, 300, 0.2); }
TEST(BaseRun, NearRunsOfLargeProblemsAreExact) { expect_near_runs(30'001, 30'010, 2000, 0.2); }

// A chain of 100 ops of 1 s.
TEST(BaseRun, WhatMovesLateBeginsLate) {
  std::string chain = "op0:1";
  for (int i = 1; i < 100; ++i) chain += " -> op" + std::to_string(i) + ":1";
  const Problem problem = toy_problem(chain, "2 devices, 1 s per edge");
  const auto compact = batch::CompactProblem::make(problem);
  ASSERT_TRUE(compact.ok());
  batch::BaseRun base(compact.value(), batch::host_capacities(compact.value()));
  batch::HostRun run(compact.value());
  std::vector<std::uint8_t> devices(100, 0);
  ASSERT_TRUE(base.record(devices, {}));
  ASSERT_GT(base.snapshots().count, 20U);
  devices[50] = 1;
  ASSERT_TRUE(run.run_from(base, devices, {}));
  EXPECT_EQ(run.step_time(), batch::Time{102'000'000'000'000}) << "one op elsewhere: there and back";
  EXPECT_NEAR(base.share_of(run.moment()), 0.5, 0.05);
  devices[0] = 1;
  ASSERT_TRUE(run.run_from(base, devices, {}));
  EXPECT_EQ(run.moment(), 0U) << "the first op has moved";
  EXPECT_EQ(run.step_time(), batch::Time{103'000'000'000'000});
}

}  // namespace
}  // namespace berth
