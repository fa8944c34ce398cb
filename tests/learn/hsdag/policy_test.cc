// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "learn/hsdag/network.h"
#include "learn/hsdag/node_features.h"
#include "learn/hsdag/policy.h"
#include "learn/method_options.h"
#include "learn/planners.h"
#include "learn/toys.h"
#include "learn/train/learner.h"
#include "plan/mincut/mincut_exact.h"
#include "plan/planners.h"
#include "plan/toys.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

TEST(Credit, DiscountsOrSharesInsideAnEpisode) {
  using Weights = std::vector<double>;
  const Weights weights{1, 2, 4, 8};
  EXPECT_EQ(credit_steps(weights, Credit::kPlan, 0.5, 2), weights);
  EXPECT_EQ(credit_steps(weights, Credit::kDiscounted, 0.5, 2), (Weights{0.5, 0.5, 2, 2}));
  EXPECT_EQ(credit_steps(weights, Credit::kShared, 0.5, 2), (Weights{2.5, 2.5, 10, 10}));
}

struct TinyNetwork {
  explicit TinyNetwork(const HsdagOptions& options, std::vector<float> seconds = {}) {
    NetworkShape shape;
    shape.seconds = std::move(seconds);
    shape.nodes = 5;
    shape.edges = {{0, 1}, {1, 2}, {2, 3}, {1, 3}, {3, 4}};
    shape.features = 3;
    shape.devices = 2;
    Rng rng(11);
    network.emplace(shape, options, parameters, rng);
    std::vector<float> values(15);
    for (float& value : values) value = static_cast<float>(rng.normal());
    features = tensor_of(values, {5, 3});
  }
  // Any function of what comes out, for a parsing that stays.
  Tensor value(const std::vector<Parsing>& parsings, std::uint64_t seed = 0) const {
    const HsdagNetwork::Pass pass = network->run(features, seed, &parsings);
    return (at::log_softmax(pass.logits, 1).select(1, 0)).sum();
  }
  Parameters parameters;
  std::optional<HsdagNetwork> network;
  Tensor features;
};

// Differences in single precision: the step is large, and so is what is allowed. With smooth layers the gradient is the
// slope; where a ReLU may bend within the step, it lies between the slopes of the two sides.
void expect_right_gradients(const HsdagOptions& options) {
  const bool smooth = options.activation == Activation::kSilu && options.gnn == GraphNetworkKind::kGcn;
  TinyNetwork tiny(options);
  std::vector<Parsing> parsings;
  {
    const at::NoGradGuard guard;
    parsings = tiny.network->run(tiny.features, 0).parsings;
  }
  tiny.parameters.clear_gradients();
  tiny.value(parsings).backward();
  const std::vector<float> gradients = tiny.parameters.gradients(), values = tiny.parameters.values();
  std::size_t begin = 0;
  bool scorer_learns = false;
  for (std::size_t t = 0; t < tiny.parameters.size(); ++t) {
    const std::string& name = tiny.parameters.names()[t];
    const auto count = static_cast<std::size_t>(tiny.parameters.tensors()[t].numel());
    for (std::size_t i = begin; i < begin + count; i += std::max<std::size_t>(1, count / 3)) {
      constexpr float kStep = 2e-3F;
      const auto at = [&](float change) {
        const at::NoGradGuard guard;
        std::vector<float> moved = values;
        moved[i] += change;
        tiny.parameters.set_values(moved);
        return tiny.value(parsings).item<double>();
      };
      const double middle = at(0.0F), left = (middle - at(-kStep)) / kStep, right = (at(kStep) - middle) / kStep;
      const double allowed = 0.02 + 0.05 * std::max(std::abs(left), std::abs(right));
      if (smooth) {
        const double slope = (left + right) / 2.0;
        EXPECT_NEAR(gradients[i], slope, 0.003 + 0.01 * std::abs(slope)) << name << " " << i - begin;
      } else {
        EXPECT_GE(gradients[i], std::min(left, right) - allowed) << name << " " << i - begin;
        EXPECT_LE(gradients[i], std::max(left, right) + allowed) << name << " " << i - begin;
      }
      if (name.starts_with("hsdag.edge") && std::abs(gradients[i]) > 1e-4) scorer_learns = true;
    }
    begin += count;
  }
  EXPECT_EQ(scorer_learns, options.parser == Parser::kLearned)
      << "the scores of edges get a gradient through the factor";
}

TEST(HsdagNetwork, GradientsAreRightAndReachTheScoresOfEdges) { expect_right_gradients(small_hsdag()); }

TEST(HsdagNetwork, SoTheyAreForEveryKindOfLayerAndParser) {
  for (const std::string_view change : {"gnn=gat", "gnn=gin", "directed=on", "pool-factor=sum", "parser=frozen",
                                        "poolings=2", "dropout=0.2", "self-loops=off", "activation=silu"}) {
    for (const std::string_view activation : {"activation=relu", "activation=silu"}) {
      SCOPED_TRACE(std::string(change) + " " + std::string(activation));
      expect_right_gradients(with(with(small_hsdag(), activation), change));
    }
  }
}

// Every node by itself, so that clusters are nodes: 2 s against 1 s is worth log 2 at power 1, no time at all nothing.
TEST(HsdagNetwork, DevicesBeginWithTheirSpeedAtTheOpsOfACluster) {
  HsdagOptions options = small_hsdag();
  const std::vector<float> seconds{1, 2, 2, 1, 0, 0, 5, 5, 1, 8};
  const auto logits = [&](double power) {
    options.start_by_times = power;
    const TinyNetwork tiny(options, power > 0.0 ? seconds : std::vector<float>());
    const Parsing apart{{0, 1, 2, 3, 4}, 5};
    const std::vector<Parsing> known{apart};
    return tiny.network->run(tiny.features, 0, &known).logits;
  };
  for (const double power : {1.0, 4.0}) {
    const Tensor gained = logits(power) - logits(0.0);
    const std::vector<float> lead = floats_of(gained.select(1, 0) - gained.select(1, 1));
    const std::vector<double> expected{std::log(2.0), -std::log(2.0), 0.0, 0.0, std::log(8.0)};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(lead[i], power * expected[i], 1e-4) << i;
  }
}

TEST(HsdagNetwork, PoolsOnceOrUntilOneClusterIsLeft) {
  HsdagOptions options = small_hsdag();
  const HsdagNetwork::Pass once = TinyNetwork(options).network->run(TinyNetwork(options).features, 0);
  EXPECT_EQ(once.parsings.size(), 1u);
  options.self_loops = false;
  EXPECT_LE(TinyNetwork(options).network->run(TinyNetwork(options).features, 0).clusters(), 2u)
      << "five nodes, each with an edge";
  options.poolings = 0;
  const TinyNetwork released(options);
  EXPECT_EQ(released.network->run(released.features, 0).clusters(), 1u) << "the loop of the released code collapses";
}

TEST(HsdagNetwork, TheSameSeedDropsTheSame) {
  HsdagOptions options = small_hsdag();
  options.dropout = 0.5;
  const TinyNetwork tiny(options);
  const std::vector<Parsing> parsings = tiny.network->run(tiny.features, 5).parsings;
  EXPECT_EQ(tiny.value(parsings, 5).item<float>(), tiny.value(parsings, 5).item<float>());
  EXPECT_NE(tiny.value(parsings, 5).item<float>(), tiny.value(parsings, 6).item<float>());
}

TEST(NodeFeatures, SwitchesTakeColumnsAway) {
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1; a -> c; c -> d:1", "device p; device q; link p q latency=1");
  const Items items = make_items(problem, coarsen(problem, Coarsening::kMutual));
  ASSERT_EQ(items.size(), 3u) << "d joins c";
  const HsdagOptions all = hsdag_paper();
  const std::size_t width = node_features(problem, items, all).width;
  const auto without = [&](std::string_view change) {
    return width - node_features(problem, items, with(all, change)).width;
  };
  EXPECT_EQ(without("fractal=off"), 1u);
  EXPECT_EQ(without("degrees=off"), 3u + 3u) << "0, 1 and 2 edges in; 0, 1 and 2 out";
  EXPECT_EQ(without("position=none"), 16u);
  EXPECT_EQ(without("position=index"), 15u);
  EXPECT_EQ(without("node-shapes=off"), 1u);
  EXPECT_EQ(without("type-feature=none"), 1u) << "toys have one type";
}

TEST(NodeFeatures, CoarseningFollowsItsRule) {
  const Problem problem = toy_problem("a:1 -> b:1 -> d:1; a -> c:1 -> d", "device p; device q; link p q latency=1");
  EXPECT_EQ(make_items(problem, coarsen(problem, Coarsening::kNone)).size(), 4u);
  EXPECT_EQ(make_items(problem, coarsen(problem, Coarsening::kMutual)).size(), 4u);
  EXPECT_EQ(make_items(problem, coarsen(problem, Coarsening::kSoleParent)).size(), 2u);
}

// The gradient that a batch pushes back is that of its value.
TEST(HsdagBatch, PushesBackTheGradientOfItsLoss) {
  const Problem problem = heft_example();
  HsdagOptions options = small_hsdag();
  options.placements = 3;
  options.activation = Activation::kSilu;  // a ReLU may bend within the step
  HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
  Rng rng(1);
  const auto batch = policy.sample({2, 3, 0.0}, rng);
  ASSERT_EQ(batch->plans().size(), 6u);
  const std::vector<double> weights{1.0, -0.5, 0.25, 0.5, -1.0, 0.75};
  policy.parameters().clear_gradients();
  batch->loss({weights, 0.1, 0.0}).backward();
  const std::vector<float> gradients = policy.parameters().gradients(), values = policy.parameters().values();
  double length = 0.0;
  for (const float gradient : gradients) length += static_cast<double>(gradient) * gradient;
  ASSERT_GT(length, 0.0);
  // Along the gradient itself the loss must change by its length.
  const auto at = [&](double step) {
    std::vector<float> moved = values;
    for (std::size_t i = 0; i < moved.size(); ++i)
      moved[i] += static_cast<float>(step * gradients[i] / std::sqrt(length));
    policy.parameters().set_values(moved);
    return batch->loss({weights, 0.1, 0.0}).item<double>();
  };
  constexpr double kStep = 1e-2;
  const double slope = (at(kStep) - at(-kStep)) / (2.0 * kStep);
  EXPECT_NEAR(slope, std::sqrt(length), 0.05 * std::sqrt(length));
}

TEST(HsdagPolicy, FreezesEmbeddingAndParserAndBeginsDevicesAnew) {
  const Problem problem = heft_example();
  HsdagOptions options = small_hsdag();
  options.freeze_after = 2;
  HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
  Parameters& parameters = policy.parameters();
  const std::vector<float> first = parameters.values();
  std::vector<float> moved = first;
  for (float& value : moved) value += 1.0F;
  policy.begin_update(1);
  parameters.set_values(moved);
  EXPECT_EQ(parameters.values(), moved) << "too early";
  policy.begin_update(2);
  std::size_t begin = 0, frozen = 0;
  const std::vector<float> now = parameters.values();
  for (std::size_t t = 0; t < parameters.size(); ++t) {
    const std::string& name = parameters.names()[t];
    const bool places = name.starts_with("hsdag.out") || name.starts_with("hsdag.choose");
    EXPECT_EQ(now[begin], places ? first[begin] : moved[begin]) << name;
    EXPECT_EQ(parameters.tensors()[t].requires_grad(), places) << name;
    frozen += places ? 0 : 1;
    begin += static_cast<std::size_t>(parameters.tensors()[t].numel());
  }
  EXPECT_GT(frozen, 4u);
  policy.begin_update(3);
  parameters.set_values(first);
  EXPECT_EQ(parameters.values()[0], moved[0]) << "what is frozen stays";
}

TEST(HsdagBatch, AStepAddsItsClustersToTheState) {
  const Problem problem = heft_example();
  HsdagOptions options = small_hsdag();
  const auto logs = [&](bool update) {
    options.state_update = update;
    HsdagPolicy policy(problem, options, std::nullopt, 3, at::kCPU);
    Rng rng(1);
    return policy.sample({1, 4, 0.0}, rng)->log_probabilities();
  };
  EXPECT_EQ(logs(true)[0], logs(false)[0]);
  EXPECT_NE(logs(true)[3], logs(false)[3]);
}

// Without overlap the optimum is known: mincut-exact proves it.
TEST(Hsdag, FindsTheOptimumOfToysWithoutOverlap) {
  const std::string_view machine = "2 devices, 1 s per edge; no overlap, 1";
  for (const std::string_view graph :
       {"a:9/1 -> b:1/20 -> c:9/1 -> d:9/1 -> e:2/1; a -> c", "a:1/9 -> b:1/9 -> c:9/1 -> d:9/1 -> e:1/9 -> f:1/9"}) {
    SCOPED_TRACE(graph);
    const Problem problem = toy_problem(graph, machine);
    Search exact(problem, {.evaluations = 10'000}), learned(problem, {.evaluations = 2000, .seed = 2});
    ASSERT_TRUE(MincutExactPlanner().plan(exact));
    HsdagOptions options = hsdag_default();
    options.coarsening = Coarsening::kNone;
    options.parser = Parser::kNone;
    ASSERT_TRUE(make_learned_planner(options)->plan(learned));
    EXPECT_EQ(learned.best_score().step_time, exact.best_score().step_time);
  }
}

TEST(Hsdag, IsNeverWorseThanTheBestSingleDevice) {
  for (const PlanToy& toy : plan_toys()) {
    SCOPED_TRACE(toy.name);
    Search search(toy.problem, {.evaluations = 30}), single(toy.problem, {.evaluations = 30});
    ASSERT_TRUE(find_classical_planner("single")->make()->plan(single));
    ASSERT_TRUE(make_learned_planner(hsdag_default())->plan(search));
    EXPECT_FALSE(better(single.best_score(), search.best_score()));
  }
}

TEST(Hsdag, EveryPresetAndVariantLearns) {
  const Problem problem = heft_example();
  for (const Preset& preset : find_method("hsdag")->presets) {
    SCOPED_TRACE(preset.name);
    Search search(problem, {.evaluations = 60});
    EXPECT_TRUE(make_learned_planner(preset.options)->plan(search));
  }
  for (const std::string_view change :
       {"parser=metis",     "parser=frozen",    "parser=none",    "poolings=0",       "gnn=gat",
        "gnn=gin",          "directed=on",      "dropout=0.2",    "credit=shared",    "baseline=none",
        "refuse-single=on", "state-update=off", "self-loops=off", "start-by-times=0", "near-best=0",
        "near-best=1",      "near-stretches=1", "parse-noise=0",  "freeze-after=1",   "activation=silu"}) {
    SCOPED_TRACE(change);
    Search search(problem, {.evaluations = 60});
    const Result<Plan> plan = make_learned_planner(with(small_hsdag(), change))->plan(search);
    ASSERT_TRUE(plan) << plan.error().message;
  }
}

// Every single device is tried before training: all of them count, and a plan that is one of them is not the policy's.
TEST(Hsdag, TriesOfSingleDevicesCountAndAreCalledSo) {
  const Problem problem =
      toy_problem("a:2:9B -> b:3:9B -> c:2:9B",
                  "device p; device q; device r; link p q latency=99; link p r latency=99; link q r latency=99");
  const auto note_after = [&](std::uint64_t evaluations) {
    Search search(problem, {.evaluations = evaluations}, 0);
    EXPECT_TRUE(make_learned_planner(hsdag_default())->plan(search));
    EXPECT_EQ(search.evaluations(), evaluations);
    return search.note();
  };
  EXPECT_EQ(note_after(23), "one device, tried before training: 0 updates found nothing faster");
  EXPECT_EQ(note_after(24), "one device, tried before training: 1 update found nothing faster");
}

}  // namespace
}  // namespace berth::learn
