// SPDX-License-Identifier: Apache-2.0
// The estimator is right: on a problem so small that every sequence of choices can be listed, the expected gradient
// equals the true gradient of the expected gain, taken by finite differences, whatever baseline each step has.
#include <gtest/gtest.h>

#include <cmath>

#include "learn/method_options.h"
#include "learn/placeto/fixture.h"
#include "learn/placeto/gradients.h"
#include "learn/toys.h"
#include "support/toy.h"

namespace berth::learn {
namespace {

constexpr std::size_t kOps = 3, kSequences = 8;

PerChoice all_sequences() {
  PerChoice sequences;
  for (std::size_t bits = 0; bits < kSequences; ++bits) {
    std::vector<std::int64_t>& sequence = sequences.emplace_back();
    for (std::size_t op = 0; op < kOps; ++op) sequence.push_back(static_cast<std::int64_t>(bits >> op & 1));
  }
  return sequences;
}

class PlacetoGradient : public testing::TestWithParam<std::string> {
 protected:
  PlacetoGradient() : problem_(three_ops()), alone_(make_alone()) {
    const PlacetoOptions options = with(small_placeto(), "device-head=" + GetParam());
    learner_ = placeto_for({&problem_}, options, 3, *alone_);
    scatter(learner_->parameters(), 5, 0.2);
  }

  // All sequences side by side.
  PlacetoTrace all() {
    Rng rng(1);
    const EpisodeRun run{.episodes = kSequences, .forced = all_sequences()};
    return run_episodes(learner_->lesson(0), learner_->network(), std::vector<std::uint8_t>(kOps, 0), run, rng).value();
  }
  static std::vector<double> chances_of(const PlacetoTrace& trace) {
    std::vector<double> chances(kSequences, 1.0);
    for (const PlacetoStep& step : trace.steps) {
      const std::vector<float> logs = floats_of(step.log_then);
      for (std::size_t i = 0; i < kSequences; ++i) chances[i] *= std::exp(static_cast<double>(logs[i]));
    }
    return chances;
  }
  static PerEpisode worth_of(const PlacetoTrace& trace) {
    PerEpisode worth;
    for (const auto& episode : trace.measured) {
      std::vector<double>& row = worth.emplace_back();
      for (const Measurement& measured : episode) row.push_back(-measured.time_s);
    }
    return worth;
  }
  double expected_gain() {
    const PlacetoTrace trace = all();
    const std::vector<double> chances = chances_of(trace);
    const PerEpisode worth = worth_of(trace);
    double sum = 0.0;
    for (std::size_t i = 0; i < kSequences; ++i) sum += chances[i] * (worth[i].back() - worth[i].front());
    return sum;
  }

  Problem problem_;
  std::unique_ptr<Communicator> alone_;
  std::unique_ptr<PlacetoLearner> learner_;
};

TEST_P(PlacetoGradient, ChancesOfAllSequencesAddUpToOne) {
  double sum = 0.0;
  for (const double chance : chances_of(all())) sum += chance;
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

TEST_P(PlacetoGradient, ExpectedEqualsTrue) {
  const PlacetoTrace trace = all();
  const std::vector<double> chances = chances_of(trace);
  PerEpisode weights = returns_of(worth_of(trace), Returns::kDrop, 1.0);
  for (std::size_t i = 0; i < kSequences; ++i) {
    for (std::size_t step = 0; step < kOps; ++step) {
      const double baseline = 3.0 - static_cast<double>(step);  // any number: it must not matter
      weights[i][step] = chances[i] * (weights[i][step] - baseline);
    }
  }
  Parameters& parameters = learner_->parameters();
  parameters.clear_gradients();
  add_gradients(learner_->lesson(0), learner_->network(), trace, weights, 0.0, 0.0, at::kCPU);
  const std::vector<float> expected = parameters.gradients(), start = parameters.values();
  const auto slope = [&](std::size_t i, float step) {
    std::vector<float> moved = start;
    moved[i] = start[i] + step;
    parameters.set_values(moved);
    const double up = expected_gain();
    moved[i] = start[i] - step;
    parameters.set_values(moved);
    return (up - expected_gain()) / (2.0 * static_cast<double>(step));
  };
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < start.size(); i += 11) {  // every eleventh number: all layers have some
    const double truth = slope(i, 0.002F);
    error += (truth + static_cast<double>(expected[i])) * (truth + static_cast<double>(expected[i]));
    size += truth * truth;
  }
  EXPECT_GT(size, 1e-6);
  EXPECT_LT(std::sqrt(error / size), 0.02);
}

// The surrogate of PPO has the same gradient where the policy has not moved yet.
TEST_P(PlacetoGradient, ClippedSurrogateBeginsTheSameWay) {
  const PlacetoTrace trace = all();
  const PerEpisode weights = returns_of(worth_of(trace), Returns::kDrop, 0.9);
  std::vector<std::vector<float>> gradients;
  for (const double clip : {0.0, 0.2}) {
    learner_->parameters().clear_gradients();
    add_gradients(learner_->lesson(0), learner_->network(), trace, weights, 0.01, clip, at::kCPU);
    gradients.push_back(learner_->parameters().gradients());
  }
  for (std::size_t i = 0; i < gradients[0].size(); ++i) ASSERT_NEAR(gradients[0][i], gradients[1][i], 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Heads, PlacetoGradient, testing::Values("scored", "fixed"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace berth::learn
