// SPDX-License-Identifier: Apache-2.0
#include "learn/train/credit.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {

std::vector<double> credit_steps(std::vector<double> weights, Credit rule, double discount, std::size_t steps) {
  if (rule == Credit::kPlan) return weights;
  for (std::size_t begin = 0; begin < weights.size(); begin += steps) {
    const std::size_t end = std::min(begin + steps, weights.size());
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum = sum * discount + weights[i];
    for (std::size_t i = begin; i < end; ++i) {
      weights[i] = rule == Credit::kShared ? sum : weights[i] * std::pow(discount, static_cast<double>(i - begin + 1));
    }
  }
  return weights;
}

}  // namespace berth::learn
