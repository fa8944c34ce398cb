// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/logits.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {

Tensor bounded(const Tensor& logits, const LogitBound& bound) {
  return at::tanh(logits / bound.temperature) * bound.tanh_constant;
}

Tensor with_noise(const Tensor& logits, const Tensor& noise) {
  if (!noise.defined()) return logits;
  const Tensor size = logits.detach().square().mean({-1}, true).sqrt();
  return logits + noise * size;
}

Tensor mean_entropy(const Tensor& log_probabilities) {
  return -(log_probabilities.exp() * log_probabilities).sum() / log_probabilities.size(0);
}

std::vector<float> unbounded_starts(std::span<const float> log_shares, const LogitBound& bound) {
  std::vector<float> starts(log_shares.begin(), log_shares.end());
  if (starts.empty()) return starts;
  const auto [least, most] = std::ranges::minmax(starts);
  const float middle = (least + most) / 2.0F;
  for (float& value : starts) {
    const double share = std::clamp((value - middle) / bound.tanh_constant, -0.95, 0.95);
    value = static_cast<float>(std::atanh(share) * bound.temperature);
  }
  return starts;
}

}  // namespace berth::learn
