// SPDX-License-Identifier: Apache-2.0
#include "learn/run/explain_policy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "learn/run/train.h"
#include "services/listening_caller.h"

namespace berth::learn {
namespace {

class ExplainPolicy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::filesystem::remove_all(folder());
    NewRun run{.graphs = {"zoo:rnnlm,unroll=3"}, .machines = {"k40x2"}};
    run.options = {"groups=4", "hidden=8", "placements=2"};
    run.limits.updates = 2;
    ListeningCaller caller;
    ASSERT_TRUE(train({.folder = folder(), .begins = run}, caller));
  }
  static std::string folder() { return testing::TempDir() + "/berth_explain_policy"; }

  static Result<PolicyExplanation> ask(const std::string& op, const std::string& machine = "k40x2") {
    ListeningCaller caller;
    return explain_policy({{.graph = "zoo:rnnlm,unroll=3", .machine = machine}, folder(), op}, caller);
  }
};

TEST_F(ExplainPolicy, KnowsEveryGroupAndTheBestPlanOfTheRun) {
  const Result<PolicyExplanation> why = ask("");
  ASSERT_TRUE(why) << why.error().message;
  EXPECT_FALSE(why->op);
  ASSERT_TRUE(why->best_plan);
  EXPECT_FALSE(verify(why->problem(), *why->best_plan));
  EXPECT_EQ(why->beliefs.groups.size(), 4U);
  for (const Beliefs::Group& group : why->beliefs.groups) {
    EXPECT_NEAR(std::accumulate(group.chances.begin(), group.chances.end(), 0.0), 1.0, 1e-5);
  }
}

TEST_F(ExplainPolicy, FindsTheOpThatIsAskedFor) {
  const Result<PolicyExplanation> all = ask("");
  ASSERT_TRUE(all);
  const Graph& graph = all->problem().graph();
  const OpId last = *std::prev(graph.ops().end());
  const Result<PolicyExplanation> one = ask(std::string(graph.name(last)));
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->op, last);
  EXPECT_FALSE(ask("no such op"));
}

TEST_F(ExplainPolicy, RefusesAProblemThatThePolicyDoesNotKnow) {
  const Result<PolicyExplanation> why = ask("", "k40x4");
  ASSERT_FALSE(why);
  EXPECT_NE(why.error().message.find("another machine"), std::string::npos);
}

}  // namespace
}  // namespace berth::learn
