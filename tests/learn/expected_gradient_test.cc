// SPDX-License-Identifier: Apache-2.0
// The estimator is right: on problems so small that every choice can be listed, the expected gradient of the loss equals
// the true gradient of the expected reward, taken by finite differences; and samples are drawn with the probabilities
// that the loss gives them. A loss that scores other choices than the measured ones, as Google's code does, fails here.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "learn/placement_batch.h"
#include "learn/placement_policy.h"
#include "learn/reward.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// Two devices and three ops: every plan has its own step time.
Problem three_ops() {
  return toy_problem("a:3/5:1B -> b:4/2:1B; a -> c:6/7:1B", "device p; device q; link p q latency=1");
}

Options tiny_options(const std::string& placer) {
  Options options;
  options.groups = 2;
  options.join_first = false;
  options.start = "none";
  options.placer = placer;
  options.hidden = 4;
  options.attention = 3;
  options.grouper_hidden = 3;
  options.type_size = 2;
  options.outputs = 1;
  options.dims = 1;
  options.tanh_constant = 2.0;
  options.start_by_speed = false;
  return options;
}

// Everything that can be chosen: groups of all items with devices of all groups.
struct Choice {
  std::vector<std::uint32_t> groups;
  std::vector<std::int64_t> devices;
  bool operator<(const Choice& other) const { return std::tie(groups, devices) < std::tie(other.groups, other.devices); }
};

std::vector<Choice> all_choices(const PlacementPolicy& policy, bool grouped) {
  const std::size_t items = policy.num_items(), groups = grouped ? policy.num_groups() : policy.num_devices();
  const std::size_t placed = grouped ? groups : 0, devices = policy.num_devices();
  std::vector<Choice> choices;
  const auto power = [](std::size_t base, std::size_t exponent) {
    std::size_t result = 1;
    while (exponent-- > 0) result *= base;
    return result;
  };
  for (std::size_t g = 0; g < power(groups, items); ++g) {
    for (std::size_t d = 0; d < power(devices, placed); ++d) {
      Choice choice;
      for (std::size_t i = 0, rest = g; i < items; ++i, rest /= groups)
        choice.groups.push_back(static_cast<std::uint32_t>(rest % groups));
      for (std::size_t i = 0, rest = d; i < placed; ++i, rest /= devices)
        choice.devices.push_back(static_cast<std::int64_t>(rest % devices));
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

class ExpectedGradient : public testing::TestWithParam<std::string> {
 protected:
  ExpectedGradient()
      : problem_(three_ops()),
        grouped_(GetParam() != "none"),
        policy_(problem_, options(), 2, std::nullopt, std::nullopt, 7, at::kCPU),
        choices_(all_choices(policy_, grouped_)) {}

  [[nodiscard]] Options options() const {
    Options options = tiny_options(grouped_ ? GetParam() : "feed-forward");
    if (!grouped_) options.grouping = "none";
    return options;
  }
  PlacementBatch batch_of(const Choice& choice) {
    return grouped_ ? PlacementBatch(policy_, {choice.groups}, {choice.devices})
                    : PlacementBatch(policy_, {choice.groups}, {});
  }
  double reward(const Plan& plan) { return reward_of({}, {to_seconds(simulate(problem_, plan).step_time), true, 0.0}); }

  double probability(const Choice& choice) {
    PlacementBatch batch = batch_of(choice);
    batch.prepare();
    return std::exp(batch.log_probabilities().front());
  }
  double expected_reward() {
    double sum = 0.0;
    for (const Choice& choice : choices_) sum += probability(choice) * reward(batch_of(choice).plans().front());
    return sum;
  }

  Problem problem_;
  bool grouped_;
  PlacementPolicy policy_;
  std::vector<Choice> choices_;
};

TEST_P(ExpectedGradient, ProbabilitiesAddUpToOne) {
  double sum = 0.0;
  for (const Choice& choice : choices_) sum += probability(choice);
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

TEST_P(ExpectedGradient, EqualsTheTrueOne) {
  constexpr double kBaseline = -2.0;  // any constant: it must not matter
  std::vector<double> expected(static_cast<std::size_t>(policy_.parameters().count()));
  for (const Choice& choice : choices_) {
    const double weight = probability(choice) * (reward(batch_of(choice).plans().front()) - kBaseline);
    PlacementBatch batch = batch_of(choice);
    batch.prepare();
    policy_.parameters().clear_gradients();
    batch.loss(std::vector<double>{weight}, 0.0).backward();
    const std::vector<float> gradients = policy_.parameters().gradients();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= static_cast<double>(gradients[i]);
  }
  const std::vector<float> start = policy_.parameters().values();
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    constexpr float kStep = 0.02F;
    std::vector<float> moved = start;
    moved[i] = start[i] + kStep;
    policy_.parameters().set_values(moved);
    const double up = expected_reward();
    moved[i] = start[i] - kStep;
    policy_.parameters().set_values(moved);
    const double truth = (up - expected_reward()) / (2.0 * static_cast<double>(kStep));
    error += (truth - expected[i]) * (truth - expected[i]);
    size += truth * truth;
  }
  EXPECT_GT(size, 1e-6);
  EXPECT_LT(std::sqrt(error / size), 0.01);
}

TEST_P(ExpectedGradient, SamplesAreDrawnAsTheLossSays) {
  constexpr int kBatches = 400, kPlacements = 10;
  Rng rng(5);
  std::map<std::vector<DeviceId>, double> drawn, wanted;
  for (int i = 0; i < kBatches; ++i) {
    const auto batch = policy_.sample({1, kPlacements, 0.0}, rng);
    for (const Plan& plan : batch->plans()) drawn[plan.device_of] += 1.0 / (kBatches * kPlacements);
  }
  for (const Choice& choice : choices_) wanted[batch_of(choice).plans().front().device_of] += probability(choice);
  for (const auto& [plan, chance] : wanted) EXPECT_NEAR(drawn[plan], chance, 0.03);
}

TEST_P(ExpectedGradient, SampledBatchesScoreTheirOwnChoices) {
  Rng rng(3);
  const auto batch = policy_.sample({1, 2, 0.5}, rng);  // with noise: the log-probability is under that noise
  batch->prepare();
  for (const double log : batch->log_probabilities()) {
    EXPECT_LT(log, 0.0);
    EXPECT_TRUE(std::isfinite(log));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ExpectedGradient, testing::Values("lstm", "transformer", "feed-forward", "none"),
                         [](const auto& name) { return name.param == "feed-forward" ? "feed_forward" : name.param; });

}  // namespace
}  // namespace berth::learn
