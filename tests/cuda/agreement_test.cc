// SPDX-License-Identifier: Apache-2.0
// The simulator on CUDA says what the engine says, on a real card where there is one in a build for it, else on one
// that is pretended.
#include "cuda/plans.h"

namespace berth {
namespace {

// Body(problem, random numbers) for that many random problems.
template <typename Body>
void for_problems(std::uint64_t count, Body body) {
  std::string why;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Problem problem = random_problem(rng, 1 + rng.below(40));
    const auto gpu = make_cuda_simulator(problem, {.threads = 2, .least_near_base = 1, .least_saved = 0});
    if (!gpu.ok() && gpu.error().message == "no CUDA device answers") GTEST_SKIP() << gpu.error().message;
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    ASSERT_NO_FATAL_FAILURE(body(problem, rng, **gpu));
  }
}

TEST(CudaAgreement, PlansWithSharedPriorities) {
  for_problems(60, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    expect_agreement(problem, random_plans(problem, rng, 1 + rng.below(40)), gpu);
  });
}

TEST(CudaAgreement, EveryPlanMayHavePrioritiesOfItsOwn) {
  for_problems(40, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 2 + rng.below(30));
    made.priorities.clear();
    for (Plan& plan : made.plans) {
      plan.priority = random_plan(problem, rng).priority;
      plan.priority.resize(problem.graph().num_ops());
      made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
    }
    expect_agreement(problem, made, gpu);
  });
}

// Whole numbers from `least` on, all different or not; as doubles and in small.
void expect_agreement_with_whole_numbers(const Problem& problem, Rng& rng, double least, bool are_different,
                                         GpuSimulator& gpu) {
  const std::size_t ops = problem.graph().num_ops();
  Plans made = random_plans(problem, rng, 2 + rng.below(20));
  made.priorities.clear();
  for (Plan& plan : made.plans) {
    plan.priority.clear();
    for (std::size_t op = 0; op < ops; ++op) {
      const std::uint64_t number = are_different ? op * 7919 % 65521 : rng.below(5);
      plan.priority.push_back(least + static_cast<double>(number));
      if (least == 0) made.small_priorities.push_back(static_cast<std::uint16_t>(number));
    }
    if (made.small_priorities.empty()) {
      made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, gpu));
  if (least != 0) return;
  made.small_priorities.clear();
  for (const Plan& plan : made.plans) {
    made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
  }
  expect_agreement(problem, made, gpu);
}

TEST(CudaAgreement, PrioritiesMayBeWholeNumbers) {
  for_problems(8, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    for (const double least : {0.0, -2.0, -65535.0}) {
      for (const bool are_different : {true, false}) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement_with_whole_numbers(problem, rng, least, are_different, gpu));
      }
    }
  });
}

TEST(CudaAgreement, PrioritiesOfTheFirstPlanAloneMayBeWholeNumbers) {
  for_problems(10, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 5);
    made.priorities.clear();
    for (Plan& plan : made.plans) {
      const double more = made.priorities.empty() ? 0 : 0.5;
      plan.priority.clear();
      for (const OpId op : problem.graph().ops()) plan.priority.push_back(static_cast<double>(index(op) % 5) * more);
      made.priorities.insert(made.priorities.end(), plan.priority.begin(), plan.priority.end());
    }
    expect_agreement(problem, made, gpu);
  });
}

TEST(CudaAgreement, SmallPrioritiesMayBeShared) {
  for_problems(10, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 5);
    made.priorities.clear();
    for (const OpId op : problem.graph().ops()) made.small_priorities.push_back(index(op) % 3 == 0 ? 0 : 7);
    for (Plan& plan : made.plans) plan.priority.assign(made.small_priorities.begin(), made.small_priorities.end());
    expect_agreement(problem, made, gpu);
  });
}

TEST(CudaAgreement, MovesOfABaseAreThePlansTheyMake) {
  for_problems(20, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 20);
    made.become_moves_of(made.plans[0]);
    expect_agreement(problem, made, gpu);
  });
}

TEST(CudaAgreement, PlansNearABaseBeginAtMomentsOfItsRun) {
  for_problems(25, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    const Plan first = unfused_plan_of(problem, rng), second = unfused_plan_of(problem, rng);
    for (const Plan* base : {&first, &first, &second}) {
      Plans made;
      made.priorities = base->priority;
      for (int i = 0; i < 15; ++i) made.add(nearby_plan(problem, *base, rng));
      made.become_moves_of(*base);
      ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, gpu));
    }
  });
}

}  // namespace
}  // namespace berth
