// SPDX-License-Identifier: Apache-2.0
// The simulator on CUDA says what the engine says, on a real card where there is one in a build for it, else on one
// that is pretended.
#include "cuda/plans.h"
#include "support/toy.h"

namespace berth {
namespace {

TEST(CudaAgreement, PlansWithSharedPriorities) {
  for_problems(60, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    expect_agreement(problem, random_plans(problem, rng, 1 + rng.below(40)), gpu);
  });
}

TEST(CudaAgreement, EveryPlanMayHavePrioritiesOfItsOwn) {
  for_problems(40, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    expect_agreement(problem, random_ranked_plans(problem, rng, 2 + rng.below(30)), gpu);
  });
}

// Which are short keys on the card: from 0 on, around 0, and below.
TEST(CudaAgreement, PrioritiesMayBeWholeNumbers) {
  for_problems(8, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    for (const double least : {0.0, -2.0, -65535.0}) {
      for (const bool are_different : {true, false}) {
        Plans made = random_plans(problem, rng, 2 + rng.below(20));
        made.rank_each(problem.graph().num_ops(), [&](std::size_t, std::size_t op) {
          return least + static_cast<double>(are_different ? op * 7919 % 65521 : rng.below(5));
        });
        ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, gpu));
      }
    }
  });
}

TEST(CudaAgreement, PrioritiesOfTheFirstPlanAloneMayBeWholeNumbers) {
  for_problems(10, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 5);
    made.rank_each(problem.graph().num_ops(), [](std::size_t plan, std::size_t op) {
      return static_cast<double>(op % 5) * (plan == 0 ? 1 : 0.5);
    });
    expect_agreement(problem, made, gpu);
  });
}

// A sum with a whole number would round these away.
TEST(CudaAgreement, PrioritiesNextToWholeNumbersAreNone) {
  for_problems(10, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    for (const double first : {-1.0, -3.0}) {
      Plans made = random_plans(problem, rng, 5);
      made.rank_each(problem.graph().num_ops(), [&](std::size_t, std::size_t op) {
        return op == 0 ? first : (first < -2 ? -1 : 1) * 1e-20 * static_cast<double>(rng.below(4));
      });
      ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, made, gpu));
    }
  });
}

TEST(CudaAgreement, MovesOfABaseAreThePlansTheyMake) {
  for_problems(20, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 20);
    made.become_moves_of(made.plans[0]);
    expect_agreement(problem, made, gpu);
  });
}

// A recorder of several bases, some of which fit nowhere; so do some plans.
TEST(CudaAgreement, PlansNearABaseBeginAtMomentsOfItsRun) {
  int infeasible_bases = 0;
  for_problems(40, [&](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    const Plan first = unfused_plan(problem, rng), second = unfused_plan(problem, rng);
    for (const Plan* base : {&first, &first, &second, &first}) {
      ASSERT_NO_FATAL_FAILURE(expect_agreement(problem, Plans::near(problem, *base, 15, rng), gpu));
    }
    infeasible_bases += simulate(problem, first).feasible ? 0 : 1;
  });
  EXPECT_GT(infeasible_bases, 3);
}

// Every plan moves what is nowhere in the base.
TEST(CudaAgreement, ABaseMayBeIllegalItself) {
  for_problems(20, [](const Problem& problem, Rng& rng, GpuSimulator& gpu) {
    Plans made = random_plans(problem, rng, 10);
    made.become_moves_of(made.plans[0]);
    const auto op = static_cast<std::uint32_t>(rng.below(problem.graph().num_ops()));
    made.base[op] = 255;
    std::vector<BatchMove> moves;
    for (std::uint32_t i = 0; i < made.plans.size(); ++i) {
      const auto begin = made.moves.begin() + made.first_move[i], end = made.moves.begin() + made.first_move[i + 1];
      made.first_move[i] = static_cast<std::uint32_t>(moves.size());
      moves.insert(moves.end(), begin, end);
      moves.push_back({op, made.devices[i * made.base.size() + op]});
    }
    made.first_move.back() = static_cast<std::uint32_t>(moves.size());
    made.moves = moves;
    expect_agreement(problem, made, gpu);
  });
}

// 700 ops that are ready at once, more than there is room for at first.
TEST(CudaAgreement, APlanThatOutgrowsItsRoomIsLeftAndTheNextBatchHasMore) {
  std::string fan = "root:1 -> op0:1";
  for (int i = 1; i < 700; ++i) fan += "; root -> op" + std::to_string(i) + ":1";
  const Problem problem = toy_problem(fan, "2 devices, 1 s per edge");
  const auto gpu = make_cuda_simulator(problem);
  if (!gpu.ok()) GTEST_SKIP() << gpu.error().message;
  Plans made;
  for (int i = 0; i < 3; ++i) made.add(Plan{.device_of = std::vector<DeviceId>(701, DeviceId{0})});
  for (OpId op{1}; index(op) < 701; op = OpId{static_cast<std::uint32_t>(index(op) + 10)}) {
    made.plans[1].device_of[index(op)] = DeviceId{1};
    made.devices[701 + index(op)] = 1;
  }
  BatchScores scores = scores_for(problem, made.plans.size());
  std::vector<std::uint32_t> left{0};
  for (int batch = 0; !left.empty() && batch < 10; ++batch) {
    left.clear();
    ASSERT_FALSE((*gpu)->run(made.batch(), scores, left));
    EXPECT_TRUE(batch > 0 || left == std::vector<std::uint32_t>({0, 1, 2}));
  }
  ASSERT_TRUE(left.empty());
  expect_scores(problem, made, scores);
}

}  // namespace
}  // namespace berth
