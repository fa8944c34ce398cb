// SPDX-License-Identifier: Apache-2.0
#include "learn/train/policy.h"

namespace berth::learn {

Tensor surrogate(const Tensor& log_now, const Tensor& log_then, const Tensor& weight, double ratio_clip) {
  if (ratio_clip <= 0.0) return weight * log_now;
  const Tensor ratio = (log_now - log_then).exp();
  return at::minimum(ratio * weight, ratio.clamp(1.0 - ratio_clip, 1.0 + ratio_clip) * weight);
}

}  // namespace berth::learn
