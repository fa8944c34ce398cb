// SPDX-License-Identifier: Apache-2.0
// What policies hold likely, against what they do.
#include "learn/beliefs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/method_options.h"
#include "learn/planners.h"
#include "plan/order/ranks.h"
#include "plan/toys.h"
#include "sim/simulator.h"

namespace berth::learn {
namespace {

// A policy in training, and its beliefs.
struct Trained {
  const Problem& problem;
  Options options;
  std::unique_ptr<Communicator> alone = make_alone();
  std::unique_ptr<Learner> learner = {};

  [[nodiscard]] Beliefs beliefs() const {
    return beliefs_of(problem, options, 1, "cpu", learner->parameters().values()).value();
  }
};

Trained untrained(const std::string& planner, const Problem& problem, std::string_view change = {}) {
  Trained result{problem, preset(planner, "default").value()};
  if (!change.empty()) {
    EXPECT_TRUE(set_option(result.options, change));
  }
  std::vector<std::unique_ptr<Environment>> environments;
  environments.push_back(make_simulated_environment(problem, 1));
  result.learner = make_learner(std::move(environments), result.options, 1, "cpu", *result.alone).value();
  return result;
}

void forget_everything(Parameters& parameters) {
  parameters.set_values(std::vector<float>(static_cast<std::size_t>(parameters.count())));
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class BeliefsOf : public testing::TestWithParam<std::string> {};

TEST_P(BeliefsOf, EveryPolicyAddUpAndLeadToItsPlan) {
  for (const Problem& problem : {heft_example(), plan_toy("a training step"), plan_toy("pins and forbids")}) {
    const Trained trained = untrained(GetParam(), problem);
    ASSERT_TRUE(trained.learner->update());
    const Beliefs beliefs = trained.beliefs();
    ASSERT_GT(beliefs.used_groups(), 0U);
    std::size_t decided = 0;
    for (std::size_t number = 0; number < beliefs.groups.size(); ++number) {
      const Beliefs::Group& group = beliefs.groups[number];
      EXPECT_NEAR(sum_of(group.chances), 1.0, 1e-5);
      EXPECT_GE(group.entropy(), 0.0);
      EXPECT_LE(group.entropy(), std::log(static_cast<double>(beliefs.devices.size())) + 1e-9);
      if (!group.attention.empty()) {
        EXPECT_NEAR(sum_of(group.attention), 1.0, 1e-5);
      }
      for (const OpId op : group.ops) {
        ++decided;
        EXPECT_EQ(beliefs.group_of[index(op)], static_cast<std::int64_t>(number));
        const DeviceId chosen = beliefs.devices[group.chosen];
        if ((problem.allowed(op) & device_bit(chosen)) != 0) {
          EXPECT_EQ(beliefs.plan.device(op), chosen);
        }
      }
    }
    EXPECT_GT(decided, 0U);
    EXPECT_FALSE(verify(problem, beliefs.plan));
  }
}

TEST_P(BeliefsOf, EveryPolicyAreThoseOfThePlanItProposesFirst) {
  if (GetParam() == "placeto") GTEST_SKIP() << "it proposes whole episodes";
  const Problem problem = heft_example();
  const Trained trained = untrained(GetParam(), problem);
  ASSERT_TRUE(trained.learner->update());
  Search search(problem, {.evaluations = 1});
  Rng rng(1);
  trained.learner->propose(0, search, {.plans = 1}, rng);
  EXPECT_EQ(trained.beliefs().plan, search.best_plan());
}

INSTANTIATE_TEST_SUITE_P(All, BeliefsOf, testing::ValuesIn(method_names()),
                         [](const auto& param) { return param.param; });

TEST(Proposals, AreTriedInTheOrderOfTheCriticalPathToo) {
  const Problem problem = toy_problem("a:5/-; b:5/-; c:1/- -> d:-/20", "device p; device q; link p q");
  const Trained trained = untrained("go", problem, "ties=fifo");
  Plan plan = trained.beliefs().plan;  // what it proposes first
  const auto own = simulate(problem, plan).step_time;
  plan.priority = upward_ranks(problem, plan);
  const auto other = simulate(problem, plan).step_time;
  ASSERT_NE(own, other);
  const auto best_of = [&](const Proposals& wanted) {
    Search search(problem, {.evaluations = 100});
    Rng rng(1);
    trained.learner->propose(0, search, wanted, rng);
    EXPECT_EQ(search.evaluations(), wanted.plans);
    return search.best_score().step_time;
  };
  EXPECT_EQ(best_of({.plans = 1}), own);
  EXPECT_EQ(best_of({.plans = 2}), std::min(own, other));
  EXPECT_LE(best_of({.plans = 40, .plain = true}), own);
}

TEST(Beliefs, OfAPolicyThatKnowsNothingAreEven) {
  const Problem problem = heft_example();
  const Trained trained = untrained("hierarchical", problem, "groups=5");
  forget_everything(trained.learner->parameters());
  const Beliefs beliefs = trained.beliefs();
  ASSERT_EQ(beliefs.groups.size(), 5U);
  EXPECT_EQ(beliefs.used_groups(), 1U);  // of equals the first
  for (const Beliefs::Group& group : beliefs.groups) {
    EXPECT_NEAR(group.entropy(), std::log(3.0), 1e-6);
    for (const double weight : group.attention) EXPECT_NEAR(weight, 0.2, 1e-6);
  }
  for (const double chance : beliefs.grouping_chances) EXPECT_NEAR(chance, 0.2, 1e-6);
}

TEST(Beliefs, AttentionIsThatOfThePlacer) {
  const Problem problem = heft_example();
  for (const std::string placer : {"lstm", "transformer", "feed-forward"}) {
    SCOPED_TRACE(placer);
    const Trained trained = untrained("hierarchical", problem, "placer=" + placer);
    for (const Beliefs::Group& group : trained.beliefs().groups)
      EXPECT_EQ(group.attention.empty(), placer == "feed-forward");
  }
  const Trained none = untrained("hierarchical", problem, "grouping=none");
  const Beliefs beliefs = none.beliefs();
  EXPECT_EQ(beliefs.groups.size(), problem.graph().num_ops());  // every item by itself
  EXPECT_TRUE(beliefs.grouping_chances.empty());
}

TEST(Beliefs, OfAPolicyOfAnotherSizeAreRefused) {
  const Problem problem = heft_example();
  const std::vector<float> values(3);
  for (const std::string& planner : method_names()) {
    const Options options = preset(planner, "default").value();
    const Result<Beliefs> beliefs = beliefs_of(problem, options, 1, "cpu", values);
    ASSERT_FALSE(beliefs) << planner;
    EXPECT_NE(beliefs.error().message.find("another size"), std::string::npos) << beliefs.error().message;
  }
}

}  // namespace
}  // namespace berth::learn
