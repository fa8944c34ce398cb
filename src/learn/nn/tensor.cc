// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/tensor.h"

#include <cstring>

namespace berth::learn {
namespace {

template <typename T>
Tensor copy_of(std::span<const T> values, at::IntArrayRef shape, at::ScalarType type) {
  Tensor tensor = at::empty(shape, at::TensorOptions().dtype(type));
  TORCH_CHECK(tensor.numel() == static_cast<std::int64_t>(values.size()), "shape does not fit the numbers");
  if (!values.empty()) std::memcpy(tensor.data_ptr(), values.data(), values.size_bytes());
  return tensor;
}

}  // namespace

Tensor tensor_of(std::span<const float> values, at::IntArrayRef shape) { return copy_of(values, shape, at::kFloat); }
Tensor tensor_of(std::span<const std::int64_t> values, at::IntArrayRef shape) {
  return copy_of(values, shape, at::kLong);
}

std::vector<float> floats_of(const Tensor& tensor) {
  const Tensor plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* data = plain.data_ptr<float>();
  return {data, data + plain.numel()};
}

}  // namespace berth::learn
