// SPDX-License-Identifier: Apache-2.0
// A bounded run gives the score of a full one, to the last bit, whenever the step is within the cutoff, and nothing
// otherwise.
#include <gtest/gtest.h>

#include <limits>

#include "sim/evaluator.h"
#include "sim/simulator.h"
#include "support/random_problem.h"

namespace berth {
namespace {

void expect_bounded(Simulator& simulator, const Plan& plan, const Score& full, Picoseconds cutoff,
                    const std::string& where) {
  const Score* bounded = simulator.run_bounded(plan, cutoff);
  ASSERT_EQ(bounded != nullptr, full.step_time <= cutoff) << where << ", cutoff " << cutoff;
  if (bounded != nullptr) {
    ASSERT_EQ(*bounded, full) << where << ", cutoff " << cutoff;
  }
}

TEST(Bounded, EqualsAFullRunAtAnyCutoff) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(80));
    Simulator simulator(problem);
    for (int i = 0; i < 3; ++i) {
      const Plan plan = random_plan(problem, rng);
      const Score full = simulator.run(plan);
      const Picoseconds step = full.step_time;
      const std::string where = "seed " + std::to_string(seed) + ", plan " + std::to_string(i);
      for (const Picoseconds cutoff : {Picoseconds{-1}, Picoseconds{0}, step / 2, step * 9 / 10, step - 1, step,
                                       step + 1, 2 * step, std::numeric_limits<Picoseconds>::max()}) {
        expect_bounded(simulator, plan, full, cutoff, where);
      }
      ASSERT_EQ(simulator.run(plan), full) << where << ": a run after abandoned ones";
    }
  }
}

TEST(Bounded, GivesUpBeforeItStartsWhenADeviceHasTooMuchWork) {
  Rng rng(3);
  const Problem problem = random_problem(rng, 200);
  Simulator simulator(problem);
  Plan plan = random_plan(problem, rng);
  plan.fusions.clear();
  const Score full = simulator.run(plan);
  Picoseconds load = 0;
  for (const DeviceId id : problem.machine().device_ids()) {
    load = std::max(load, full.devices[index(id)].busy / problem.machine().device(id).lanes);
  }
  ASSERT_GT(load, 0);
  EXPECT_EQ(simulator.run_bounded(plan, load - 1), nullptr);
  EXPECT_EQ(simulator.last_events(), 0U);
}

TEST(Bounded, AnEvaluatorAnswersTheSame) {
  Rng rng(4);
  const Problem problem = random_problem(rng, 60);
  const Plan plan = random_plan(problem, rng);
  const Score full = simulate(problem, plan);
  const auto evaluator = make_simulated_evaluator(problem, 2);
  ASSERT_NE(evaluator->evaluate_bounded(plan, full.step_time), nullptr);
  EXPECT_EQ(*evaluator->evaluate_bounded(plan, full.step_time), full);
  EXPECT_EQ(evaluator->evaluate_bounded(plan, full.step_time - 1), nullptr);
}

}  // namespace
}  // namespace berth
