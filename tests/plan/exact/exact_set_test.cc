// SPDX-License-Identifier: Apache-2.0
// The small real problems of problems/exact with their proved optima (docs/exact-set.md).
#include <gtest/gtest.h>

#include "plan/exact/exact.h"
#include "plan/exact/exact_set.h"
#include "plan/planners.h"
#include "sim/simulator.h"

namespace berth {
namespace {

TEST(ExactSet, HoldsThirtyProblems) { EXPECT_EQ(exact_set::optima().size(), 30U); }

TEST(ExactSet, NoPlannerIsBelowTheOptimum) {
  for (const auto& [name, optimum] : exact_set::optima()) {
    const Problem problem = exact_set::load(name);
    for (const PlannerInfo& info : classical_planners()) {
      if (info.make == nullptr) continue;
      Search search(problem, {.evaluations = 40});
      const Result<Plan> plan = info.make()->plan(search);
      if (!plan) continue;
      const Score score = simulate(problem, *plan);
      EXPECT_FALSE(score.feasible && score.step_time < optimum) << info.name << " on " << name;
      EXPECT_LE(search.lower_bound(), optimum) << info.name << " on " << name;
    }
  }
}

TEST(ExactSet, ExactProvesTheQuickOnes) {
  const std::map<std::string, Picoseconds> optima = exact_set::optima();
  for (const char* name :
       {"bert-train-k40x2", "gpt2-train-p100x3", "inception-infer-core-ultra", "resnet50-train-a100-v100",
        "wavenet-train-k40x2", "zoo-gpt2-infer-a100-v100", "zoo-moe-infer-p100x3", "zoo-rnnlm-rtx"}) {
    const Problem problem = exact_set::load(name);
    Search search(problem, {.evaluations = 100'000});
    ASSERT_TRUE(ExactPlanner().plan(search)) << name;
    EXPECT_EQ(search.best_score().step_time, optima.at(name)) << name;
    EXPECT_TRUE(search.best_score().feasible) << name;
    EXPECT_EQ(search.lower_bound(), optima.at(name)) << name;
    EXPECT_EQ(search.note(), "proved optimal") << name;
  }
}

}  // namespace
}  // namespace berth
