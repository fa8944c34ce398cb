// SPDX-License-Identifier: Apache-2.0
// Plans near a known one: what may change, how much of it, and what is learned of that.
#include "learn/hsdag/near_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "learn/hsdag/policy.h"
#include "learn/planners.h"
#include "learn/toys.h"
#include "plan/toys.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// A line of sixteen clusters, the first twelve on device 0, of which the fourth makes no difference.
struct Line {
  Line() {
    known.chances = chances;
    known.device.assign(16, 0);
    std::fill(known.device.begin() + 12, known.device.end(), 1);
    known.matters.assign(16, true);
    known.matters[3] = false;
    for (std::uint32_t i = 0; i + 1 < 16; ++i) known.edges.emplace_back(i + 1, i);
  }
  std::vector<float> chances = std::vector<float>(32, 0.5F);
  Surroundings known;
};

std::vector<std::size_t> changed_in(const Changes& changes) {
  std::vector<std::size_t> list;
  for (std::size_t c = 0; c < changes.changed.size(); ++c) {
    if (changes.changed[c]) list.push_back(c);
  }
  return list;
}

TEST(NearPlan, AFewClustersGoElsewhereAndOnlyThose) {
  const Line line;
  Rng rng(1);
  std::size_t most = 0;
  for (int i = 0; i < 300; ++i) {
    const Changes changes = change_a_few(line.known, 0.0, rng);
    const std::vector<std::size_t> list = changed_in(changes);
    ASSERT_GE(list.size(), 1u);
    ASSERT_LE(list.size(), 4u);
    most = std::max(most, list.size());
    EXPECT_FALSE(changes.changed[3]);
    for (std::size_t c = 0; c < 16; ++c) EXPECT_EQ(changes.changed[c], changes.device[c] != line.known.device[c]);
  }
  EXPECT_GT(most, 1u);
}

TEST(NearPlan, AStretchIsConnectedAndLeavesOneDevice) {
  const Line line;
  Rng rng(1);
  std::size_t most = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<std::size_t> list = changed_in(change_a_few(line.known, 1.0, rng));
    ASSERT_GE(list.size(), 1u);
    most = std::max(most, list.size());
    EXPECT_EQ(list.back() - list.front() + 1, list.size()) << "no gaps";
    EXPECT_EQ(line.known.device[list.front()], line.known.device[list.back()]);
    for (const std::size_t c : list) EXPECT_NE(c, 3u);
  }
  EXPECT_GT(most, 2u);
}

TEST(NearPlan, WhatThePolicyDoubtsOfGoesFirst) {
  Line line;
  for (std::size_t c = 0; c < 16; ++c) line.chances[2 * c + line.known.device[c]] = c == 7 ? 0.0F : 1.0F;
  Rng rng(1);
  int doubted = 0;
  for (int i = 0; i < 300; ++i) doubted += change_a_few(line.known, 0.5, rng).changed[7];
  EXPECT_GT(doubted, 200);
}

TEST(NearPlan, NothingChangesWhereNothingMatters) {
  Line line;
  line.known.matters.assign(16, false);
  Rng rng(1);
  for (const double stretches : {0.0, 1.0}) EXPECT_TRUE(changed_in(change_a_few(line.known, stretches, rng)).empty());
}

std::unique_ptr<Batch> batch_near(HsdagPolicy& policy, const Plan& near, int plans) {
  Rng rng(1);
  Sampling sampling{1, plans, 0.0};
  sampling.near = &near;
  return policy.sample(sampling, rng);
}

// How many items two plans have on different devices.
int differences(const Problem& problem, const Items& items, const Plan& a, const Plan& b) {
  int count = 0;
  for (const std::vector<OpId>& ops : ops_of_items(problem, items)) count += a.device(ops[0]) != b.device(ops[0]);
  return count;
}

TEST(HsdagBatch, PlansNearAPlanDifferInAFewClustersAndLearnOfThose) {
  const Problem problem = heft_example();
  HsdagOptions options = small_hsdag();
  options.parser = Parser::kNone;  // clusters are items
  HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
  const Plan near = policy.greedy();
  const auto batch = batch_near(policy, near, 40);
  const double root = std::sqrt(static_cast<double>(policy.items().size()));
  int most = 0;
  for (const Plan& plan : batch->plans()) {
    const int changed = differences(problem, policy.items(), plan, near);
    EXPECT_GE(changed, 1);
    EXPECT_LE(changed, root + 1.0) << "a stretch has one more";
    most = std::max(most, changed);
  }
  EXPECT_GT(most, 1);
  const std::vector<double> better(40, 1.0);
  const auto log_chance = [&] {
    const auto logs = batch->log_probabilities();
    return std::accumulate(logs.begin(), logs.end(), 0.0);
  };
  EXPECT_TRUE(std::isfinite(log_chance()));
  policy.parameters().clear_gradients();
  batch->loss({better, 0.0, 0.2}).backward();
  double length = 0.0;
  for (const float gradient : policy.parameters().gradients()) length += static_cast<double>(gradient) * gradient;
  EXPECT_GT(length, 0.0);
  EXPECT_TRUE(std::isfinite(length));
}

// A parameter takes no time and is nobody's result: to move it alone is a plan for nothing. A view takes none either,
// but has to be sent.
TEST(HsdagBatch, PlansNearAPlanLeaveWhatMakesNoDifference) {
  const Problem problem =
      toy_problem("a:1 -> c:1 -> v:0 -> d:1; w:0 -> c; a -> v", "device p; device q; link p q latency=1");
  HsdagOptions options = small_hsdag();
  options.parser = Parser::kNone, options.coarsening = Coarsening::kNone;
  HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
  const Plan near = policy.greedy();
  const auto batch = batch_near(policy, near, 100);
  std::map<std::string, int> moved;
  for (const Plan& plan : batch->plans()) {
    for (const OpId op : problem.graph().ops())
      moved[std::string(problem.graph().name(op))] += plan.device(op) != near.device(op);
  }
  EXPECT_EQ(moved.at("w"), 0);
  EXPECT_GT(moved.at("v"), 0);
}

// Noise is for drawing: the likeliest plan has none, and clusters that are drawn differ.
TEST(HsdagBatch, ParserIsNoisyOnlyWhilePlansAreDrawn) {
  const Problem problem = heft_example();
  HsdagOptions options = small_hsdag();
  options.state_update = false;  // nothing else tells the steps apart
  const auto mean_clusters = [&](double noise) {
    options.parse_noise = noise;
    HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
    const std::vector<DeviceId> likeliest = policy.greedy().device_of;
    Rng rng(1);
    const double clusters = policy.sample({1, 20, 0.0}, rng)->used_groups();
    EXPECT_EQ(policy.greedy().device_of, likeliest);
    return clusters;
  };
  const double still = mean_clusters(0.0);
  EXPECT_EQ(still, std::round(still)) << "twenty times the same";
  EXPECT_NE(mean_clusters(1.0), std::round(mean_clusters(1.0)));
}

// Of fifteen updates fourteen are of four plans near the best one; the first is not.
TEST(Hsdag, UpdatesNearTheBestPlanAreSmall) {
  const Problem problem = heft_example();
  const std::unique_ptr<Communicator> alone = make_alone();
  std::vector<std::unique_ptr<Environment>> environments;
  environments.push_back(make_simulated_environment(problem, 1));
  auto learner = make_learner(std::move(environments), small_hsdag(), 1, "cpu", *alone);
  ASSERT_TRUE(learner) << learner.error().message;
  std::vector<int> plans;
  for (int i = 0; i < 17; ++i) {
    const std::uint64_t announced = (*learner)->plans_per_update();
    const auto facts = (*learner)->update();
    ASSERT_TRUE(facts && *facts);
    plans.push_back((*facts)->plans);
    EXPECT_EQ(plans.back(), static_cast<int>(announced));
  }
  std::vector<int> expected(17, 4);
  expected[0] = expected[15] = 20;
  EXPECT_EQ(plans, expected);
}

}  // namespace
}  // namespace berth::learn
