// SPDX-License-Identifier: Apache-2.0
// Tensors of libtorch, by the part of it that compiles quickly, and the few helpers that everybody needs.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <span>
#include <vector>

namespace berth::learn {

using at::Tensor;

// A copy of plain numbers as a tensor on the CPU.
Tensor tensor_of(std::span<const float> values, at::IntArrayRef shape);
Tensor tensor_of(std::span<const std::int64_t> values, at::IntArrayRef shape);

// Its numbers in row order, wherever it lives.
std::vector<float> floats_of(const Tensor& tensor);

}  // namespace berth::learn
