// SPDX-License-Identifier: Apache-2.0
// The parts of the network of `go`: pooling over neighbours, segments of attention, noise, and what must not matter to
// one network for many graphs and machines.
#include <gtest/gtest.h>

#include "learn/go/batch.h"
#include "learn/nn/random.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

TEST(Sage, PoolsTheLargestOfTheNeighbours) {
  // 0 has the neighbours 1 and 2, 1 has 2, 2 has none.
  const Neighbours neighbours{{0, 2, 3, 3}, {1, 2, 2}};
  const std::vector<float> numbers{1, 2, 3, 4, 5, 1};
  Tensor values = tensor_of(numbers, {3, 2}).set_requires_grad(true);
  const Tensor most = max_of_neighbours(values, neighbours);
  EXPECT_EQ(floats_of(most), (std::vector<float>{5, 4, 5, 1, 0, 0}));
  most.sum().backward();
  EXPECT_EQ(floats_of(values.grad()), (std::vector<float>{0, 0, 0, 1, 2, 1}));
}

class Attention : public testing::Test {
 protected:
  Attention() {
    options_.hidden = 8, options_.heads = 2, options_.segment = 4;
    options_.superposition = false;
  }
  // How much the output of every node changes with the input of node `moved`, in one layer.
  std::vector<float> change(std::int64_t nodes, std::int64_t moved) {
    Parameters parameters;
    Rng rng(1);
    const AttentionLayer layer("layer", 8, options_, parameters, rng);
    const at::NoGradGuard guard;
    const Tensor before = normal_numbers({nodes, 8}, rng, at::kCPU);
    const Tensor after = before.clone();
    after[moved] += 1.0 * before[(moved + 1) % nodes];
    const Tensor whole = at::zeros({8});
    return floats_of((layer.forward(after, whole) - layer.forward(before, whole)).abs().amax(1));
  }
  GoOptions options_;
};

TEST_F(Attention, ReachesItsSegmentAndTheOneBefore) {
  const std::vector<float> changed = change(14, 5);  // segments 0-3, 4-7, 8-11, 12-13
  for (std::size_t node = 0; node < changed.size(); ++node) {
    if (node < 4 || node >= 12) {
      EXPECT_EQ(changed[node], 0.0F) << node;
    } else {
      EXPECT_GT(changed[node], 1e-5F) << node;
    }
  }
}

TEST_F(Attention, TakesGraphsShorterThanASegment) {
  for (const float changed : change(3, 1)) EXPECT_GT(changed, 1e-5F);
}

Problem small() {
  return toy_problem("a:3:4B -> b:4:2B; a -> c:6:1B; b -> d:1; c -> d",
                     "device p; device q; link p q latency=1 rate=4");
}

std::unique_ptr<GoPolicy> policy_for(const Problem& problem, const GoOptions& options) {
  const Problem* const pointer = &problem;
  return std::move(make_go_policies({&pointer, 1}, options, 1, at::kCPU).front());
}

TEST(GoNetworkTest, HasTheSameParametersForEveryGraphAndMachine) {
  const Problem other = toy_problem("x:1 -> y:2", "device p; device q; device r; link p q; link q r; link p r");
  const Problem one = small();
  const GoOptions options = go_default();
  EXPECT_EQ(policy_for(one, options)->parameters().values(), policy_for(other, options)->parameters().values());
}

// Twice as fast a machine with twice as fast links, and names of another framework's: nothing that is seen changes.
TEST(GoNetworkTest, SeesSharesNotSeconds) {
  const Problem slow = small();
  const Problem fast = toy_problem("k:1.5:4B -> l:2:2B; k -> m:3:1B; l -> n:.5; m -> n",
                                   "device s; device t; link s t latency=.5 rate=8");
  const GoOptions options = go_default();
  const Tensor difference =
      policy_for(slow, options)->logits().placement - policy_for(fast, options)->logits().placement;
  EXPECT_LT(difference.abs().max().item<float>(), 1e-4F);
}

TEST(GoNetworkTest, SwitchesAddNoParametersButThoseOfTheirOwn) {
  GoOptions options = go_default();
  options.tasks = {true, true, true};
  const Problem problem = small();
  const auto count = [&] { return policy_for(problem, options)->parameters().count(); };
  const auto logits = [&] { return policy_for(problem, options)->logits(); };
  const std::int64_t usual = count();
  const GoLogits together = logits();
  options.task_attention = false;  // recurrent attention across tasks costs no parameters, and does something
  EXPECT_EQ(count(), usual);
  EXPECT_GT((logits().fusion - together.fusion).abs().max().item<float>(), 1e-4F);
  options.passes = 3;
  EXPECT_EQ(count(), usual);
  options.superposition = false;
  const std::int64_t width = options.hidden;
  EXPECT_EQ(usual - count(), options.attention_layers * (width * width + width));
}

TEST(GoNetworkTest, NeverPlacesANodeWhereItMayNotBe) {
  const Problem problem = toy_problem("a:1/-; b:-/1; c:1/1", "device p; device q; link p q");
  const GoOptions options = go_default();
  const std::unique_ptr<GoPolicy> policy = policy_for(problem, options);
  Rng rng(1);
  const auto batch = policy->sample({1, 50, 5.0}, rng);
  for (const Plan& plan : batch->plans()) {
    EXPECT_EQ(index(plan.device(OpId(0))), 0U);
    EXPECT_EQ(index(plan.device(OpId(1))), 1U);
  }
}

TEST(GoNetworkTest, NoiseThatRisesBeginsWithNone) {
  const Problem problem = small();
  const std::unique_ptr<GoPolicy> policy = policy_for(problem, go_default());
  Rng rng(1);
  const auto entropy = [&](const Sampling& sampling) {
    const auto batch = policy->sample(sampling, rng);
    batch->prepare();
    return batch->entropies().placing;
  };
  const double quiet = entropy({1, 1, 0.0});
  EXPECT_NEAR(entropy({1, 1, 1000.0, true}), quiet, 1e-6);
  EXPECT_LT(entropy({1, 1, 1000.0}), 0.5 * quiet);
}

// Nodes next to each other get about the same noise, those far apart do not.
TEST(FieldNoise, IsSmooth) {
  std::string chain = "n0:1";
  for (int i = 1; i < 100; ++i) chain += " -> n" + std::to_string(i) + ":1";
  const Problem problem = toy_problem(chain, "device p; device q; link p q");
  const GoGraph graph = make_go_graph(problem, 0, nullptr, at::kCPU);
  Rng rng(1);
  const Tensor noise = field_noise(graph, 200, 2.0, rng);  // [plans, nodes, devices]
  EXPECT_NEAR(noise.std().item<double>(), 2.0, 0.3);
  const auto step = [&](std::int64_t distance) {
    const std::int64_t rest = noise.size(1) - distance;
    return (noise.narrow(1, distance, rest) - noise.narrow(1, 0, rest)).square().mean().sqrt().item<double>();
  };
  EXPECT_LT(step(1), 0.5);
  EXPECT_GT(step(50), 1.5);
}

TEST(GoGraphTest, JoinsNodesToAsManyAsAreWanted) {
  const Problem problem =
      toy_problem("a:1 -> b:1 -> c:1 -> d:1 -> e:1 -> f:1 -> g:1 -> h:1", "2 devices, 1 s per edge");
  EXPECT_EQ(make_go_graph(problem, 0, nullptr, at::kCPU).size(), 8);
  EXPECT_EQ(make_go_graph(problem, 3, nullptr, at::kCPU).size(), 3);
}

}  // namespace
}  // namespace berth::learn
