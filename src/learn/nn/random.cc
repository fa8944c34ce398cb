// SPDX-License-Identifier: Apache-2.0
#include "learn/nn/random.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {
namespace {

template <typename Next>
Tensor random_tensor(at::IntArrayRef shape, at::Device device, Next&& next) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(next());
  return tensor_of(values, shape).to(device);
}

}  // namespace

Tensor normal_numbers(at::IntArrayRef shape, Rng& rng, at::Device device) {
  return random_tensor(shape, device, [&] { return rng.normal(); });
}

Tensor gumbel_numbers(at::IntArrayRef shape, Rng& rng, at::Device device) {
  return random_tensor(shape, device, [&] { return -std::log(-std::log(std::max(rng.uniform(), 1e-300))); });
}

std::vector<std::uint32_t> draw_rows(const Tensor& probabilities, Rng& rng) {
  const Tensor plain = probabilities.contiguous();
  const auto rows = static_cast<std::size_t>(plain.size(0)), columns = static_cast<std::size_t>(plain.size(1));
  const float* values = plain.data_ptr<float>();
  std::vector<std::uint32_t> drawn(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* chances = values + row * columns;
    const auto aim = static_cast<float>(rng.uniform());
    float sum = 0.0F;
    std::uint32_t pick = 0;
    // What rounding leaves over goes to the last column that has a chance.
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (chances[column] <= 0.0F) continue;
      pick = column;
      sum += chances[column];
      if (aim < sum) break;
    }
    drawn[row] = pick;
  }
  return drawn;
}

}  // namespace berth::learn
