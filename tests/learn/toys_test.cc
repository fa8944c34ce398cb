// SPDX-License-Identifier: Apache-2.0
// Learning works: from scratch, on problems whose optimum is known, on nine of ten seeds within a stated number of
// samples.
#include <gtest/gtest.h>

#include "learn/planners.h"
#include "learn/toys.h"
#include "learn/train/trainer.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// Every step of Placeto, which moves one group, is a sample; its updates take over a hundred.
std::uint64_t samples_of(const std::string& planner) { return planner == "placeto" ? 3'000 : 400; }

struct Toy {
  const char* name;
  Problem problem;
  double optimum_s;
};

// The least step time over all plans, found by trying each.
double least_step(const Problem& problem) {
  const std::size_t ops = problem.graph().num_ops();
  double least = 1e9;
  for (std::size_t bits = 0; bits < (std::size_t{1} << ops); ++bits) {
    Plan plan;
    for (std::size_t op = 0; op < ops; ++op) plan.device_of.push_back(DeviceId((bits >> op) & 1));
    if (verify(problem, plan)) continue;
    const Score score = simulate(problem, plan);
    if (score.feasible) least = std::min(least, to_seconds(score.step_time));
  }
  return least;
}

// Two chains that do not meet: one device each, 15 s; anything else waits for a link or for the other chain.
Toy two_chains() {
  return {"two_chains",
          toy_problem("a:2 -> b:3 -> c:2 -> d:4 -> e:1 -> f:2 -> g:1; h:2 -> i:3 -> j:2 -> k:4 -> l:1 -> m:2 -> n:1",
                      kTwoDevices),
          15.0};
}

// Every op is quick on one of the devices and slow on the other: 8 s each.
Toy unlike_ops() {
  return {
      "unlike_ops",
      toy_problem("a:1/9; b:9/1; c:1/9; d:9/1; e:1/9; f:9/1; g:1/9; h:9/1; i:1/9; j:9/1; k:1/9; l:9/1; m:1/9; n:9/1; "
                  "o:1/9; p:9/1",
                  "device p; device q; link p q latency=1"),
      8.0};
}

// One device does not hold both halves: the plan must split where the tensor between them is cheap.
Toy tight_memory() {
  return {"tight_memory",
          toy_problem("u:param:6B; v:param:6B; x:input:1B -> a:2:1B -> b:2:1B -> c:2:1B -> d:2:1B; u -> a; u -> b; "
                      "v -> c; v -> d",
                      "device p memory=12B; device q memory=12B; link p q latency=3"),
          11.0};
}

std::vector<Toy> toys() { return {two_chains(), unlike_ops(), tight_memory()}; }

class LearnsToys : public testing::TestWithParam<std::string> {};

TEST_P(LearnsToys, ReachesTheOptimumOnNineOfTenSeeds) {
  for (const Toy& toy : toys()) {
    ASSERT_DOUBLE_EQ(least_step(toy.problem), toy.optimum_s) << toy.name;
    int reached = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Search search(toy.problem, {.evaluations = samples_of(GetParam()), .seed = seed}, 0);
      const Result<Plan> plan = make_learned_planner(preset(GetParam(), "default").value())->plan(search);
      ASSERT_TRUE(plan) << plan.error().message;
      const Score score = simulate(toy.problem, *plan);
      if (score.feasible && to_seconds(score.step_time) <= toy.optimum_s + 1e-9) ++reached;
    }
    EXPECT_GE(reached, 9) << toy.name;
  }
}

// Without any hint of where a good plan may be, plans still get better from update to update.
TEST(Learning, MakesPlansBetter) {
  const Toy toy = unlike_ops();
  HierarchicalOptions options = hierarchical_default();
  options.placed_features = options.start_by_speed = false;
  const std::unique_ptr<Communicator> alone = make_alone();
  std::vector<std::unique_ptr<Environment>> environments;
  environments.push_back(make_simulated_environment(toy.problem, 1));
  const auto learner = make_learner(std::move(environments), options, 1, "cpu", *alone).value();
  const auto mean_of_updates = [&](int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += learner->update().value()->mean_time_s;
    return sum / count;
  };
  const double first = mean_of_updates(5);
  mean_of_updates(200);
  EXPECT_LT(mean_of_updates(5), 0.7 * first);
}

// `go` has toys of its own (go_toys_test.cc), since it decides on more; on these it is weaker (docs/planners.md).
INSTANTIATE_TEST_SUITE_P(Planners, LearnsToys, testing::Values("hierarchical", "colocrl", "placeto"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace berth::learn
