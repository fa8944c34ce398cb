// SPDX-License-Identifier: Apache-2.0
// The estimator of `go` is right: on a problem so small that every choice can be listed, the expected gradient of the
// loss equals the true gradient of the expected reward, taken by finite differences; samples are drawn with the
// probabilities that the loss gives them. For every combination of tasks, and for orders instead of levels.
//
// One pass and one segment: what an earlier pass or segment said counts as a constant by design, so that there the two
// differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "learn/go/batch.h"
#include "learn/method_options.h"
#include "runs/reward.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

using Choices = GoPolicy::Choices;

struct GoCase {
  const char* name;
  const char* tasks;
  const char* priorities;
};

// Three ops that may be fused, on two devices.
Problem three_ops_with_work() {
  return toy_problem("a:3/5:1B:compute=1 -> b:4/2:1B:compute=1; a -> c:6/7:1B:compute=2",
                     "device p; device q; link p q latency=1");
}

GoOptions tiny_go(const GoCase& which) {
  GoOptions options = with(GoOptions(), std::string("tasks=") + which.tasks);
  options = with(options, std::string("priorities=") + which.priorities);
  options.ties = Ties::kFifo;
  options.levels = 2;
  options.hidden = 4, options.heads = 2;
  options.sage_layers = 1, options.attention_layers = 1, options.inner = 1;
  options.passes = 1;
  options.locality = 0.5;
  options.start_by_speed = false;
  return options;
}

// Every way to give each of `count` nodes one of `columns`; one empty way if there is nothing to give.
std::vector<std::vector<std::int64_t>> all_rows(std::size_t count, std::int64_t columns) {
  std::vector<std::vector<std::int64_t>> rows(1);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& row : rows) {
      for (std::int64_t column = 0; column < columns; ++column) {
        longer.push_back(row);
        longer.back().push_back(column);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

std::vector<std::vector<std::int64_t>> all_orders(std::size_t count) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::vector<std::vector<std::int64_t>> orders;
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

std::vector<Choices> all_go_choices(const GoPolicy& policy) {
  const auto nodes = static_cast<std::size_t>(policy.graph().size());
  const GoTasks& tasks = policy.tasks();
  // A given placement is on the first device.
  const auto devices = all_rows(nodes, tasks.placement ? policy.graph().num_devices() : 1);
  const auto schedules = !tasks.schedule ? all_rows(0, 0) : tasks.ordered ? all_orders(nodes) : all_rows(nodes, 2);
  const auto fusions = tasks.fusion ? all_rows(nodes, 2) : all_rows(0, 0);
  std::vector<Choices> all;
  for (const auto& device : devices) {
    for (const auto& schedule : schedules) {
      for (const auto& fusion : fusions) all.push_back({device, schedule, fusion});
    }
  }
  return all;
}

class GoGradient : public testing::TestWithParam<GoCase> {
 protected:
  GoGradient() : problem_(three_ops_with_work()) {
    const Problem* const problem = &problem_;
    policy_ = std::move(make_go_policies({&problem, 1}, tiny_go(GetParam()), 7, at::kCPU).front());
    // What begins as 0 would hide a gradient that is missing.
    Rng rng(3);
    std::vector<float> values = policy_->parameters().values();
    for (float& value : values) value += static_cast<float>(0.1 * rng.normal());
    policy_->parameters().set_values(values);
    all_ = std::make_unique<GoBatch>(*policy_, all_go_choices(*policy_));
    for (const Plan& plan : all_->plans())
      rewards_.push_back(reward_of({}, {to_seconds(simulate(problem_, plan).step_time), true, 0.0}));
  }

  std::vector<double> probabilities() {
    const at::NoGradGuard guard;
    all_->prepare();
    std::vector<double> chances = all_->log_probabilities();
    for (double& chance : chances) chance = std::exp(chance);
    return chances;
  }
  double expected_reward() {
    const std::vector<double> chances = probabilities();
    return std::inner_product(chances.begin(), chances.end(), rewards_.begin(), 0.0);
  }
  std::vector<float> gradients_of(std::span<const double> weights, double ratio_clip) {
    policy_->parameters().clear_gradients();
    all_->prepare();
    all_->loss({weights, 0.0, ratio_clip}).backward();
    return policy_->parameters().gradients();
  }

  Problem problem_;
  std::unique_ptr<GoPolicy> policy_;
  std::unique_ptr<GoBatch> all_;
  std::vector<double> rewards_;
};

TEST_P(GoGradient, ProbabilitiesAddUpToOne) {
  const std::vector<double> chances = probabilities();
  EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1.0, 1e-5);
}

TEST_P(GoGradient, EqualsTheTrueOne) {
  constexpr double kBaseline = -2.0;  // any constant: it must not matter
  std::vector<double> weights = probabilities();
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= rewards_[i] - kBaseline;
  const std::vector<float> loss_gradients = gradients_of(weights, 0.0);
  const std::vector<float> start = policy_->parameters().values();
  const auto reward_at = [&](std::span<const double> direction, double step) {
    std::vector<float> moved = start;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += static_cast<float>(step * direction[i]);
    policy_->parameters().set_values(moved);
    return expected_reward();
  };
  // Of every tensor two directions: that of the gradient, which must be as steep as it says, and one by chance, along
  // which nothing may be missing.
  constexpr double kStep = 0.003;  // wider ones cross kinks of relu
  Rng rng(11);
  double error = 0.0, size = 0.0;
  std::size_t begin = 0;
  for (const Tensor& tensor : policy_->parameters().tensors()) {
    const std::size_t end = begin + static_cast<std::size_t>(tensor.numel());
    for (const bool by_chance : {false, true}) {
      std::vector<double> direction(start.size());
      double length = 1e-30;
      for (std::size_t i = begin; i < end; ++i) {
        direction[i] = by_chance ? rng.normal() : static_cast<double>(loss_gradients[i]);
        length += direction[i] * direction[i];
      }
      double expected = 0.0;
      for (std::size_t i = begin; i < end; ++i) {
        direction[i] /= std::sqrt(length);
        expected -= static_cast<double>(loss_gradients[i]) * direction[i];
      }
      // Central differences of two widths, combined so that what is left is of the fourth order.
      const auto slope = [&](double step) {
        return (reward_at(direction, step) - reward_at(direction, -step)) / (2.0 * step);
      };
      const double truth = (4.0 * slope(kStep) - slope(2.0 * kStep)) / 3.0;
      error += (truth - expected) * (truth - expected);
      size += truth * truth;
    }
    begin = end;
  }
  EXPECT_GT(size, 1e-6);
  EXPECT_LT(std::sqrt(error / size), 0.02);
}

// Where nothing has moved yet, the clipped ratio has the gradient of the logarithm.
TEST_P(GoGradient, OfTheClippedRatioBeginsAsThePlainOne) {
  std::vector<double> weights = rewards_;
  for (double& weight : weights) weight += 2.0;
  const std::vector<float> plain = gradients_of(weights, 0.0), clipped = gradients_of(weights, 0.2);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], clipped[i], 1e-3F + 1e-3F * std::abs(plain[i]));
}

TEST_P(GoGradient, SamplesAreDrawnAsTheLossSays) {
  constexpr int kBatches = 100, kPlans = 50;
  Rng rng(5);
  std::map<std::pair<std::vector<DeviceId>, std::vector<double>>, double> drawn, wanted;
  for (int i = 0; i < kBatches; ++i) {
    const auto batch = policy_->sample({1, kPlans, 0.0}, rng);
    for (const Plan& plan : batch->plans()) drawn[{plan.device_of, plan.priority}] += 1.0 / (kBatches * kPlans);
  }
  const std::vector<double> chances = probabilities();
  for (std::size_t i = 0; i < chances.size(); ++i)
    wanted[{all_->plans()[i].device_of, all_->plans()[i].priority}] += chances[i];
  for (const auto& [plan, chance] : wanted) EXPECT_NEAR(drawn[plan], chance, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Tasks, GoGradient,
                         testing::Values(GoCase{"placement", "placement", "levels"},
                                         GoCase{"schedule", "placement+schedule", "levels"},
                                         GoCase{"order", "placement+schedule", "plackett-luce"},
                                         GoCase{"fusion", "placement+fusion", "levels"},
                                         GoCase{"all", "placement+schedule+fusion", "levels"},
                                         GoCase{"given_placement", "schedule+fusion", "levels"}),
                         [](const auto& name) { return name.param.name; });

}  // namespace
}  // namespace berth::learn
