// SPDX-License-Identifier: Apache-2.0
// Plans that somebody has made on the card are verified and run where they are. Memory of the pretended card is memory
// here.
#include <limits>

#include "cuda/plans.h"
#include "sim/batch/batch_check.h"
#include "sim/batch/batch_simulator.h"
#include "support/cuda_on_host/cuda_runtime.h"

namespace berth {
namespace {

PlanBatch on_card(const Plans& made) {
  PlanBatch batch = made.batch();
  batch.is_on_card = true;
  return batch;
}

TEST(PretendedCheck, PlansThatAreMadeOnTheCardAreRunWhereTheyAre) {
  pretended_card = {};
  for_problems(20, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    const Plans made = random_ranked_plans(problem, rng, 2 + rng.below(30));
    const auto illegal = gpu.first_illegal(on_card(made));
    ASSERT_TRUE(illegal.ok()) << illegal.error().message;
    EXPECT_EQ(*illegal, made.plans.size());
    ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, on_card(made), gpu));
    const auto brought = gpu.bring(on_card(made), made.plans.size() - 1);
    ASSERT_TRUE(brought.ok());
    EXPECT_EQ(*brought, made.plans.back());
  });
}

// The first plan that check_batch() refuses by itself.
std::size_t first_refused(const Problem& problem, const Plans& made) {
  const std::size_t ops = problem.graph().num_ops();
  for (std::size_t i = 0; i < made.plans.size(); ++i) {
    const PlanBatch one{.size = 1,
                        .devices = std::span(made.devices).subspan(i * ops, ops),
                        .priorities = std::span(made.priorities).subspan(i * ops, ops)};
    if (check_batch(problem, one)) return i;
  }
  return made.plans.size();
}

TEST(PretendedCheck, PlansOnTheCardAreVerifiedThere) {
  pretended_card = {};
  int illegal = 0;
  for_problems(120, [&](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 2 + rng.below(8));
    made.priorities.assign(made.devices.size(), 0.5);
    for (int i = 0; i < 2; ++i) {
      made.devices[rng.below(made.devices.size())] =
          static_cast<std::uint8_t>(rng.below(problem.machine().num_devices()));
    }
    if (rng.below(8) == 0) made.devices[rng.below(made.devices.size())] = 255;
    if (rng.below(8) == 0) made.priorities[rng.below(made.priorities.size())] = std::numeric_limits<double>::infinity();
    const std::size_t expected = first_refused(problem, made);
    const auto first = gpu.first_illegal(on_card(made));
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_EQ(*first, expected);
    illegal += expected < made.plans.size() ? 1 : 0;
  });
  EXPECT_GT(illegal, 20);
  EXPECT_LT(illegal, 110);
}

// As the processor says it: the same plan, in the same words.
TEST(PretendedCheck, TheFirstPlanThatIsNotLegalIsNamed) {
  pretended_card = {};
  int illegal = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 20);
    Plans made = random_plans(problem, rng, 2 + rng.below(8));
    made.priorities.assign(made.devices.size(), 0.5);
    const std::size_t place = rng.below(made.devices.size());
    if (seed % 3 == 0) made.devices[place] = 200;
    if (seed % 3 == 1) made.devices[place] = static_cast<std::uint8_t>(rng.below(problem.machine().num_devices()));
    if (seed % 3 == 2) made.priorities[place] = std::numeric_limits<double>::quiet_NaN();
    const auto expected = check_batch(problem, made.batch());
    auto gpu = make_cuda_simulator(problem);
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    BatchSimulator simulator(problem, 2, std::move(gpu).value(), 0);
    const auto scores = simulator.evaluate_on_card(on_card(made));
    ASSERT_EQ(scores.ok(), !expected.has_value());
    if (!expected) continue;
    EXPECT_EQ(scores.error().message, expected->message);
    ++illegal;
  }
  EXPECT_GT(illegal, 40);
}

TEST(PretendedCheck, ACardThatIsLostMeanwhileIsAnError) {
  pretended_card = {};
  Rng rng(9);
  const Problem problem = random_problem(rng, 20);
  const Plans made = random_ranked_plans(problem, rng, 4);
  const auto gpu = make_cuda_simulator(problem);
  ASSERT_TRUE(gpu.ok());
  ASSERT_TRUE((*gpu)->first_illegal(on_card(made)).ok());
  pretended_card.calls_until_lost = 0;
  const auto first = (*gpu)->first_illegal(on_card(made));
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().message, "the GPU failed while verifying plans: no such device");
  const auto brought = (*gpu)->bring(on_card(made), 1);
  ASSERT_FALSE(brought.ok());
  EXPECT_EQ(brought.error().message, "the GPU failed while bringing a plan: no such device");
  pretended_card = {};
}

}  // namespace
}  // namespace berth
