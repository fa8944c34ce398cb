// SPDX-License-Identifier: Apache-2.0
// Parameters: the named tensors that a policy learns, in the order in which they were made, all on one device. Started
// from our own random numbers, so that they are the same with every libtorch and on every device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "learn/nn/tensor.h"
#include "runs/train_state.h"

namespace berth::learn {

class Parameters {
 public:
  explicit Parameters(at::Device device = at::kCPU) : device_(device) {}
  [[nodiscard]] at::Device device() const { return device_; }

  // Each makes one tensor that requires gradients. glorot: uniform in +-sqrt(6 / (rows + columns)).
  Tensor glorot(std::string name, std::int64_t rows, std::int64_t columns, Rng& rng);
  Tensor constant(std::string name, at::IntArrayRef shape, double value);
  Tensor from(std::string name, std::span<const float> values, at::IntArrayRef shape);

  [[nodiscard]] std::size_t size() const { return tensors_.size(); }
  [[nodiscard]] std::int64_t count() const;  // numbers in all
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::vector<TensorLayout> layout() const;
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }

  // All numbers, one after the other; gradients likewise (0 where there is none).
  [[nodiscard]] std::vector<float> values() const;
  [[nodiscard]] std::vector<float> gradients() const;
  void set_values(std::span<const float> values);  // as many as count(); those that are frozen stay
  void clear_gradients();
  // From now on the tensor of this name has no gradients and keeps its values.
  void freeze(std::string_view name);

 private:
  Tensor add(std::string name, Tensor value);
  at::Device device_;
  std::vector<std::string> names_;
  std::vector<Tensor> tensors_;
};

}  // namespace berth::learn
