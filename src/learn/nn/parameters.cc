// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace berth::learn {

Tensor Parameters::add(std::string name, Tensor value) {
  Tensor tensor = value.to(device_).set_requires_grad(true);
  names_.push_back(std::move(name));
  tensors_.push_back(tensor);
  return tensor;
}

Tensor Parameters::glorot(std::string name, std::int64_t rows, std::int64_t columns, Rng& rng) {
  const double limit = std::sqrt(6.0 / static_cast<double>(rows + columns));
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (float& value : values) value = static_cast<float>(limit * (2.0 * rng.uniform() - 1.0));
  return from(std::move(name), values, {rows, columns});
}

Tensor Parameters::constant(std::string name, at::IntArrayRef shape, double value) {
  return add(std::move(name), at::full(shape, value, at::TensorOptions().dtype(at::kFloat)));
}

Tensor Parameters::from(std::string name, std::span<const float> values, at::IntArrayRef shape) {
  return add(std::move(name), tensor_of(values, shape));
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors_) count += tensor.numel();
  return count;
}

std::vector<TensorLayout> Parameters::layout() const {
  std::vector<TensorLayout> layout;
  for (std::size_t i = 0; i < tensors_.size(); ++i) layout.push_back({names_[i], tensors_[i].sizes().vec()});
  return layout;
}

std::vector<float> Parameters::values() const {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count()));
  for (const Tensor& tensor : tensors_) {
    const std::vector<float> part = floats_of(tensor);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::vector<float> Parameters::gradients() const {
  std::vector<float> gradients;
  gradients.reserve(static_cast<std::size_t>(count()));
  for (const Tensor& tensor : tensors_) {
    if (!tensor.grad().defined()) {
      gradients.resize(gradients.size() + static_cast<std::size_t>(tensor.numel()));
      continue;
    }
    const std::vector<float> part = floats_of(tensor.grad());
    gradients.insert(gradients.end(), part.begin(), part.end());
  }
  return gradients;
}

namespace {

// The stretch of a long row of numbers that belongs to one tensor, in its shape.
Tensor take(std::span<const float>& rest, const Tensor& like) {
  const auto count = static_cast<std::size_t>(like.numel());
  Tensor part = tensor_of(rest.first(count), like.sizes()).to(like.device());
  rest = rest.subspan(count);
  return part;
}

}  // namespace

void Parameters::set_values(std::span<const float> values) {
  BERTH_CHECK(static_cast<std::int64_t>(values.size()) == count());
  const at::NoGradGuard guard;
  for (Tensor& tensor : tensors_) {
    const Tensor value = take(values, tensor);
    if (tensor.requires_grad()) tensor.copy_(value);
  }
}

void Parameters::freeze(std::string_view name) {
  const auto found = std::ranges::find(names_, name);
  BERTH_CHECK(found != names_.end());
  tensors_[static_cast<std::size_t>(found - names_.begin())].set_requires_grad(false);
}

void Parameters::clear_gradients() {
  for (Tensor& tensor : tensors_) tensor.mutable_grad() = Tensor();
}

}  // namespace berth::learn
