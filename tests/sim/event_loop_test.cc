// SPDX-License-Identifier: Apache-2.0
// The batch simulator's loop against the engine and the reference on thousands of random problems: what a GPU runs is
// the same source, so it only has to agree with this build of it.
#include <gtest/gtest.h>

#include "sim/batch/host_run.h"
#include "sim/simulator.h"
#include "support/batch_plans.h"
#include "support/random_problem.h"
#include "support/reference_simulator.h"

namespace berth {
namespace {

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
      const Plan plan = unfused_plan(problem, rng);
      ASSERT_TRUE(run.run(device_bytes(plan), plan.priority));
      ASSERT_NO_FATAL_FAILURE(expect_same(simulator.run(plan), run)) << describe(problem, plan);
      if (!rounds.with_reference) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(reference_simulate(problem, plan).score, run)) << describe(problem, plan);
    }
  }
}

TEST(EventLoop, AgreesOnTinyProblems) { expect_agreement({1, 3000, 12, 4, true}); }
TEST(EventLoop, AgreesOnSmallProblems) { expect_agreement({10'001, 13'000, 60, 4, false}); }
TEST(EventLoop, AgreesOnMiddlingProblems) { expect_agreement({20'001, 20'200, 300, 4, false}); }
TEST(EventLoop, AgreesOnLargeProblems) { expect_agreement({30'001, 30'016, 2000, 4, false}); }

// And leaves nothing behind that the next run stumbles over.
TEST(EventLoop, WithLittleRoomARunFailsOrIsExact) {
  int failed = 0, exact = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(60));
    const auto compact = batch::CompactProblem::make(problem);
    ASSERT_TRUE(compact.ok());
    const auto at_most = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + rng.below(most)); };
    batch::HostRun run(*compact, {1U << rng.below(5), 1U << rng.below(5), at_most(64), at_most(8)});
    for (int i = 0; i < 6; ++i) {
      const Plan plan = unfused_plan(problem, rng);
      const bool has_result = run.run(device_bytes(plan), plan.priority);
      ++(has_result ? exact : failed);
      if (!has_result) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(simulate(problem, plan), run)) << describe(problem, plan);
    }
  }
  EXPECT_GT(failed, 100);
  EXPECT_GT(exact, 100);
}

}  // namespace
}  // namespace berth
