// SPDX-License-Identifier: Apache-2.0
// The estimator is right: on problems so small that every choice can be listed, the expected gradient of the loss
// equals the true gradient of the expected reward, taken by finite differences; and samples are drawn with the
// probabilities that the loss gives them. A loss that scores other choices than the measured ones, as Google's code
// does, fails here.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "learn/hierarchical/placement_batch.h"
#include "learn/hierarchical/placement_policy.h"
#include "learn/method_options.h"
#include "learn/toys.h"
#include "runs/reward.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

// Two devices and three ops: every plan has its own step time.
HierarchicalOptions tiny_hierarchical(const std::string& placer) {
  HierarchicalOptions options;
  options.groups = 2;
  options.grouper_scale = 1.0;
  options.hidden = 8;
  options.attention = 3;
  options.grouper_hidden = 3;
  options.type_size = 2;
  options.outputs = 1;
  options.dims = 1;
  options.tanh_constant = 2.0;
  options.start_by_speed = false;
  return with(options, "placer=" + placer);
}

// Everything that can be chosen: groups of all items with devices of all groups.
struct Choice {
  std::vector<std::uint32_t> groups;
  std::vector<std::int64_t> devices;
};

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

std::vector<Choice> all_choices(const PlacementPolicy& policy, bool grouped) {
  const std::size_t items = policy.num_items(), groups = grouped ? policy.num_groups() : policy.num_devices();
  const std::size_t placed = grouped ? groups : 0, devices = policy.num_devices();
  std::vector<Choice> choices;
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
        policy_(problem_, tiny_hierarchical(grouped_ ? GetParam() : "feed-forward"), 2,
                {.items = one_group_per_unit(problem_), .any = grouped_}, 7, at::kCPU),
        choices_(all_choices(policy_, grouped_)) {
    const PlacementBatch all = batch_of_all();
    for (const Plan& plan : all.plans()) rewards_.push_back(reward(plan));
  }

  double reward(const Plan& plan) { return reward_of({}, {to_seconds(simulate(problem_, plan).step_time), true, 0.0}); }

  // All choices as one batch: for every grouping all placements, in the order of choices_.
  PlacementBatch batch_of_all() {
    const std::size_t placements = grouped_ ? power(policy_.num_devices(), policy_.num_groups()) : 1;
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<std::vector<std::int64_t>> devices;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (i % placements == 0) groups.push_back(choices_[i].groups);
      if (grouped_) devices.push_back(choices_[i].devices);
    }
    return {policy_, groups, devices};
  }
  std::vector<double> probabilities() {
    PlacementBatch batch = batch_of_all();
    batch.prepare();
    std::vector<double> chances = batch.log_probabilities();
    for (double& chance : chances) chance = std::exp(chance);
    return chances;
  }
  double expected_reward() {
    const std::vector<double> chances = probabilities();
    double sum = 0.0;
    for (std::size_t i = 0; i < chances.size(); ++i) sum += chances[i] * rewards_[i];
    return sum;
  }

  Problem problem_;
  bool grouped_;
  PlacementPolicy policy_;
  std::vector<Choice> choices_;
  std::vector<double> rewards_;
};

TEST_P(ExpectedGradient, ProbabilitiesAddUpToOne) {
  const std::vector<double> chances = probabilities();
  EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1.0, 1e-5);
}

TEST_P(ExpectedGradient, EqualsTheTrueOne) {
  constexpr double kBaseline = -2.0;  // any constant: it must not matter
  // E[(R - B) d log p] over all choices, each with its probability.
  std::vector<double> weights = probabilities();
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= rewards_[i] - kBaseline;
  PlacementBatch batch = batch_of_all();
  batch.prepare();
  batch.loss({weights}).backward();
  const std::vector<float> loss_gradients = policy_.parameters().gradients();
  const std::vector<float> start = policy_.parameters().values();
  double error = 0.0, size = 0.0;
  // Central differences of two widths, combined so that what is left is of the fourth order.
  const auto slope = [&](std::size_t i, float step) {
    std::vector<float> moved = start;
    moved[i] = start[i] + step;
    policy_.parameters().set_values(moved);
    const double up = expected_reward();
    moved[i] = start[i] - step;
    policy_.parameters().set_values(moved);
    return (up - expected_reward()) / (2.0 * static_cast<double>(step));
  };
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double truth = (4.0 * slope(i, 0.01F) - slope(i, 0.02F)) / 3.0;
    const double expected = -static_cast<double>(loss_gradients[i]);
    error += (truth - expected) * (truth - expected);
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
  const PlacementBatch all = batch_of_all();
  const std::vector<double> chances = probabilities();
  for (std::size_t i = 0; i < chances.size(); ++i) wanted[all.plans()[i].device_of] += chances[i];
  for (const auto& [plan, chance] : wanted) EXPECT_NEAR(drawn[plan], chance, 0.03);
}

// Without noise the log-probability of a sample is that of a listed choice with the same plan; under noise it is not.
TEST_P(ExpectedGradient, SampledBatchesScoreTheirOwnChoices) {
  const PlacementBatch all = batch_of_all();
  const std::vector<double> chances = probabilities();
  for (const double noise : {0.0, 0.5}) {
    Rng rng(3);
    const auto batch = policy_.sample({1, 4, noise}, rng);
    batch->prepare();
    const std::vector<double> logs = batch->log_probabilities();
    int listed = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      bool found = false;
      for (std::size_t c = 0; c < chances.size(); ++c) {
        found = found || (all.plans()[c] == batch->plans()[i] && std::abs(std::log(chances[c]) - logs[i]) < 1e-4);
      }
      listed += found ? 1 : 0;
    }
    EXPECT_EQ(listed, noise > 0.0 ? 0 : 4) << "noise " << noise;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ExpectedGradient, testing::Values("lstm", "transformer", "feed-forward", "none"),
                         [](const auto& name) { return name.param == "feed-forward" ? "feed_forward" : name.param; });

}  // namespace
}  // namespace berth::learn
