// SPDX-License-Identifier: Apache-2.0
// Random numbers of our own as tensors, so that they are the same with every libtorch and on every device.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "learn/nn/tensor.h"

namespace berth::learn {

// Standard normal, and Gumbel, whose sum with logits has its maximum at a sample of softmax.
Tensor normal_numbers(at::IntArrayRef shape, Rng& rng, at::Device device);
Tensor gumbel_numbers(at::IntArrayRef shape, Rng& rng, at::Device device);

// One column from each row of probabilities on the CPU.
std::vector<std::uint32_t> draw_rows(const Tensor& probabilities, Rng& rng);

}  // namespace berth::learn
