// SPDX-License-Identifier: Apache-2.0
// Logits within bounds, and under noise, and the entropy that they leave.
#pragma once

#include <span>
#include <vector>

#include "learn/nn/tensor.h"
#include "runs/options/network.h"

namespace berth::learn {

// C tanh(logits / T).
Tensor bounded(const Tensor& logits, const LogitBound& bound);
// Plus noise in units of the root mean square over devices, which counts as a constant. Undefined noise: none.
Tensor with_noise(const Tensor& logits, const Tensor& noise);
// Entropy of the choices, summed over them and in the mean over the first dimension (plans or groupings).
Tensor mean_entropy(const Tensor& log_probabilities);
// Biases that make bounded() begin with these logarithms of shares, as far as C allows.
std::vector<float> unbounded_starts(std::span<const float> log_shares, const LogitBound& bound);

}  // namespace berth::learn
