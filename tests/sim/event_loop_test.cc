// SPDX-License-Identifier: Apache-2.0
// The batch simulator's loop against the engine and the reference on thousands of random problems: what a GPU runs is
// the same source, so it only has to agree with this build of it.
#include <gtest/gtest.h>

#include "sim/batch/compact.h"
#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/reference_simulator.h"

namespace berth {
namespace {

std::vector<std::uint8_t> bytes_of(const Plan& plan) {
  std::vector<std::uint8_t> devices;
  for (const DeviceId device : plan.device_of) devices.push_back(static_cast<std::uint8_t>(device));
  return devices;
}

void expect_score(const Problem& problem, const Plan& plan, const Score& expected, const batch::HostRun& run) {
  ASSERT_EQ(run.step_time(), static_cast<batch::Time>(expected.step_time)) << describe(problem, plan);
  for (std::uint32_t i = 0; i < expected.devices.size(); ++i) {
    ASSERT_EQ(run.peak(i), expected.devices[i].peak) << "device " << i << "\n" << describe(problem, plan);
  }
  for (std::uint32_t i = 0; i < expected.pool_peaks.size(); ++i) {
    ASSERT_EQ(run.pool_peak(i), expected.pool_peaks[i]) << "pool " << i << "\n" << describe(problem, plan);
  }
}

struct Rounds {
  std::uint64_t first_seed, last_seed;
  std::size_t most_ops;
  int plans;
  bool with_reference;
};

void expect_agreement(const Rounds& rounds) {
  for (std::uint64_t seed = rounds.first_seed; seed <= rounds.last_seed; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(rounds.most_ops));
    const auto compact = batch::CompactProblem::make(problem);
    ASSERT_TRUE(compact.ok()) << "seed " << seed << ": " << compact.error().message;
    batch::HostRun run(compact.value());
    Simulator simulator(problem);
    for (int i = 0; i < rounds.plans; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", plan " + std::to_string(i));
      Plan plan = random_plan(problem, rng);
      plan.fusions.clear();
      ASSERT_TRUE(run.run(bytes_of(plan), plan.priority));
      ASSERT_NO_FATAL_FAILURE(expect_score(problem, plan, simulator.run(plan), run));
      if (!rounds.with_reference) continue;
      ASSERT_NO_FATAL_FAILURE(expect_score(problem, plan, reference_simulate(problem, plan).score, run));
    }
  }
}

TEST(EventLoop, AgreesOnTinyProblems) { expect_agreement({1, 3000, 12, 4, true}); }
TEST(EventLoop, AgreesOnSmallProblems) { expect_agreement({10'001, 13'000, 60, 4, false}); }
TEST(EventLoop, AgreesOnMiddlingProblems) { expect_agreement({20'001, 20'200, 300, 4, false}); }
TEST(EventLoop, AgreesOnLargeProblems) { expect_agreement({30'001, 30'016, 2000, 4, false}); }

}  // namespace
}  // namespace berth
