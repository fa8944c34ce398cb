// SPDX-License-Identifier: Apache-2.0
// `go` solves toys whose optimum is known and takes all three tasks, learns from several problems at once, and depends
// on its seed alone.
#include <gtest/gtest.h>

#include "learn/go/policy.h"
#include "learn/planners.h"
#include "learn/train/trainer.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// 8 s: b and c on one device; h on the other, before a, though a is first in line; d and e there too, as one op.
//   without priorities 9 s (h with b and c), without fusion at least 9.5 s (19 s of work)
Problem joint_toy() {
  return toy_problem("a:4; d:3:compute=1 -> e:3:compute=1; b:2 -> c:6; h:1 -> c",
                     "device p; device q; link p q latency=1");
}
constexpr double kJointOptimum = 8.0;

constexpr TaskSet kAllTasks{.placement = true, .schedule = true, .fusion = true};

GoOptions joint_options(TaskSet tasks) {
  GoOptions options = go_default();
  options.nodes = 0;
  options.tasks = tasks;
  options.levels = 2;
  options.ties = Ties::kFifo;  // critical-path would know the order without learning
  // The best plan is good only as a whole, and 9 s are easy to find: what is drawn has to stay open for long.
  options.locality = options.stretch = options.noise = 0.0;
  options.placements = 32;
  options.rate = 0.005;
  options.entropy = 1.0, options.entropy_end = 0.0;
  options.entropy_updates = 80;
  return options;
}

double best_of(const Problem& problem, const GoOptions& options, std::uint64_t evaluations, std::uint64_t seed) {
  Search search(problem, {.evaluations = evaluations, .seed = seed}, 0);
  const Result<Plan> plan = make_learned_planner(options)->plan(search);
  return plan ? to_seconds(simulate(problem, *plan).step_time) : 1e9;
}

// All placements, each with every order of two levels, with d and e fused or not: the least time of each kind of plan.
struct Least {
  double plain = 1e9, scheduled = 1e9, fused = 1e9, joint = 1e9;
};
Least least_times(const Problem& problem) {
  Least least;
  const std::size_t ops = problem.graph().num_ops(), all = std::size_t{1} << ops;
  for (std::size_t devices = 0; devices < all; ++devices) {
    for (std::size_t levels = 0; levels < all; ++levels) {
      for (const bool fused : {false, true}) {
        Plan plan;
        for (std::size_t op = 0; op < ops; ++op) {
          plan.device_of.push_back(DeviceId((devices >> op) & 1));
          plan.priority.push_back(static_cast<double>((levels >> op) & 1));
        }
        if (fused) plan.fusions = {{OpId(1), OpId(2)}};
        if (verify(problem, plan)) continue;
        const double time = to_seconds(simulate(problem, plan).step_time);
        if (levels == 0 && !fused) least.plain = std::min(least.plain, time);
        if (!fused) least.scheduled = std::min(least.scheduled, time);
        if (levels == 0) least.fused = std::min(least.fused, time);
        least.joint = std::min(least.joint, time);
      }
    }
  }
  return least;
}

TEST(GoToys, TheJointOptimumTakesAllTasks) {
  const Least least = least_times(joint_toy());
  EXPECT_DOUBLE_EQ(least.joint, kJointOptimum);
  EXPECT_GT(least.plain, kJointOptimum + 0.5);
  EXPECT_GT(least.scheduled, kJointOptimum + 0.5);
  EXPECT_GT(least.fused, kJointOptimum + 0.5);
}

TEST(GoToys, JointTasksReachIt) {
  constexpr std::uint64_t kSamples = 3200;
  const Problem problem = joint_toy();
  for (const Priorities priorities : {Priorities::kLevels, Priorities::kPlackettLuce}) {
    GoOptions options = joint_options(kAllTasks);
    options.priorities = priorities;
    int reached = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      reached += best_of(problem, options, kSamples, seed) <= kJointOptimum + 1e-9 ? 1 : 0;
    EXPECT_GE(reached, 9) << static_cast<int>(priorities);
  }
}

// One policy for three problems, of two and of three devices, quick and slow ones.
TEST(GoToys, OnePolicyLearnsSeveralProblems) {
  const std::vector<Problem> problems{
      toy_problem("a:1/9; b:9/1; c:1/9; d:9/1; e:1/9; f:9/1; g:1/9; h:9/1", "device p; device q; link p q latency=1"),
      toy_problem("a:.1/.9/.9; b:.9/.1/.9; c:.9/.9/.1; d:.1/.9/.9; e:.9/.1/.9; f:.9/.9/.1",
                  "device p; device q; device r; link p q; link q r; link p r"),
      toy_problem("a:2 -> b:3 -> c:2 -> d:4; h:2 -> i:3 -> j:2 -> k:4", "device p; device q; link p q latency=5")};
  GoOptions options = go_default();
  options.start_by_speed = false;  // or there is nothing to learn
  options.placements = 8;
  std::vector<const Problem*> pointers;
  for (const Problem& problem : problems) pointers.push_back(&problem);
  std::vector<std::unique_ptr<GoPolicy>> policies = make_go_policies(pointers, options, 1, at::kCPU);
  std::vector<Lesson> lessons;
  for (std::size_t i = 0; i < problems.size(); ++i)
    lessons.push_back({std::move(policies[i]), make_simulated_environment(problems[i], 1)});
  const std::unique_ptr<Communicator> alone = make_alone();
  Trainer trainer(std::move(lessons), options, 1, *alone);
  const auto mean_reward = [&](int updates) {
    double sum = 0.0;
    for (int i = 0; i < updates; ++i) sum += trainer.update().value()->mean_reward;
    return sum / updates;
  };
  const double first = mean_reward(5);
  mean_reward(60);
  EXPECT_GT(mean_reward(5), 0.8 * first);  // rewards are negative
  EXPECT_DOUBLE_EQ(to_seconds(trainer.lessons()[0].best->score.step_time), 4.0);
}

TEST(GoToys, DependsOnTheSeedAlone) {
  const Problem problem = joint_toy();
  const GoOptions options = joint_options(kAllTasks);
  const auto plan = [&](std::uint64_t seed, int threads) {
    Search search(problem, {.evaluations = 64, .seed = seed, .threads = threads}, 0);
    return make_learned_planner(options)->plan(search).value();
  };
  EXPECT_EQ(plan(3, 1), plan(3, 1));
  EXPECT_EQ(plan(3, 1), plan(3, 2));
}

// Priorities and fusion for a placement that the constraints fix.
TEST(GoToys, DecidesTheOrderOfAGivenPlacement) {
  const Problem free = joint_toy();
  Constraints constraints;
  const Plan placement = toy_plan(free, "a@q d@q e@q h@q b@p c@p");
  for (const OpId op : free.graph().ops()) constraints.pins.push_back({op, placement.device(op)});
  const Problem problem = constrain(free, constraints).value();
  EXPECT_DOUBLE_EQ(to_seconds(simulate(problem, placement).step_time), 15.0);
  EXPECT_DOUBLE_EQ(best_of(problem, joint_options({.placement = false, .schedule = true}), 640, 1), 11.0);
  EXPECT_DOUBLE_EQ(best_of(problem, joint_options({.placement = false, .schedule = true, .fusion = true}), 640, 1),
                   kJointOptimum);
}

}  // namespace
}  // namespace berth::learn
