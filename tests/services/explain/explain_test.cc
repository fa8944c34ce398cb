// SPDX-License-Identifier: Apache-2.0
#include "services/explain/explain.h"

#include "services/explain/graph_facts.h"
#include "services/small_problem.h"

namespace berth {
namespace {

TEST(Explain, APlanIsExplainedByItsCriticalPath) {
  const std::string plan = plan_file("round-robin", "explain_robin.json");
  ListeningCaller caller;
  const Result<ExplainAnswer> answer = explain({small_problem(), plan}, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  const auto* why = std::get_if<PlanExplanation>(&answer->why);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->path.total(), answer->outcome.score.step_time);
  EXPECT_FALSE(why->crossings.empty());  // ops take turns, so tensors cross
  ASSERT_FALSE(why->limits.empty());
  EXPECT_TRUE(why->limits.back().starts_with("no plan takes less than ")) << why->limits.back();
  EXPECT_EQ(answer->outcome.bound_name, name_of(lower_bound(answer->loaded.problem).kind()));
}

TEST(Explain, OneOpIsExplainedByEveryOtherDevice) {
  const std::string plan = plan_file("round-robin", "explain_robin.json");
  ListeningCaller caller;
  const Result<LoadedProblem> loaded = load_problem(small_problem(), caller);
  ASSERT_TRUE(loaded);
  const Graph& graph = loaded->problem.graph();
  std::string op;
  for (const OpId id : graph.ops()) {
    if (graph.role(id) == Role::kCompute) op = graph.name(id);
  }
  const Result<ExplainAnswer> answer = explain({small_problem(), plan, op}, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  const auto* why = std::get_if<report::OpExplanation>(&answer->why);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(graph.name(why->op), op);
  EXPECT_EQ(why->alternatives.size(), loaded->problem.machine().num_devices());
}

TEST(Explain, APatternForManyOpsAndAPipelineAreRefused) {
  const std::string plan = plan_file("round-robin", "explain_robin.json");
  ListeningCaller caller;
  const Result<ExplainAnswer> many = explain({small_problem(), plan, "*"}, caller);
  ASSERT_FALSE(many);
  EXPECT_TRUE(many.error().message.starts_with("--op '*' stands for ")) << many.error().message;
  ProblemRequest pipeline = small_problem();
  pipeline.objective = Objective::kPipeline;
  EXPECT_FALSE(explain({pipeline, plan}, caller));
}

TEST(GraphFacts, OpsAndBytesAddUp) {
  const Result<GraphAnswer> answer = look_at_graph("zoo:rnnlm,unroll=3", {});
  ASSERT_TRUE(answer);
  std::size_t ops = 0;
  for (const auto& [role, count] : answer->facts.roles) ops += count;
  EXPECT_EQ(ops, answer->loaded.graph->num_ops());
  EXPECT_GT(answer->facts.parallelism.work_over_path(), 1.0);
  EXPECT_TRUE(answer->effects.empty());  // nothing is open in a model of the zoo
  ASSERT_TRUE(answer->facts.peak_bytes);
  EXPECT_GE(*answer->facts.peak_bytes, answer->facts.resident_bytes);
}

}  // namespace
}  // namespace berth
