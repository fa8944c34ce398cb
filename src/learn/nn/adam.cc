// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/adam.h"

#include <cmath>

#include "base/check.h"

namespace berth::learn {
namespace {

constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kLeastRoot = 1e-8;

double norm_of(std::span<const float> values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

}  // namespace

double Adam::step(std::span<float> values, std::span<float> gradients, double rate, double clip) {
  BERTH_CHECK(values.size() == state_.mean.size() && gradients.size() == values.size());
  const double norm = norm_of(gradients);
  if (!std::isfinite(norm)) return norm;  // nothing to be learned from; whoever asked will say so
  const auto scale = static_cast<float>(norm > clip ? clip / norm : 1.0);
  ++state_.steps;
  const double steps = static_cast<double>(state_.steps);
  const double mean_bias = 1.0 - std::pow(kMeanDecay, steps), square_bias = 1.0 - std::pow(kSquareDecay, steps);
  const auto pace = static_cast<float>(rate / mean_bias), root = static_cast<float>(1.0 / std::sqrt(square_bias));
  constexpr auto kMean = static_cast<float>(kMeanDecay), kSquare = static_cast<float>(kSquareDecay);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float gradient = gradients[i] * scale;
    float& mean = state_.mean[i];
    float& square = state_.square[i];
    mean = kMean * mean + (1.0F - kMean) * gradient;
    square = kSquare * square + (1.0F - kSquare) * gradient * gradient;
    values[i] -= pace * mean / (std::sqrt(square) * root + static_cast<float>(kLeastRoot));
  }
  return norm;
}

}  // namespace berth::learn
