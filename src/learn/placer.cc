// SPDX-License-Identifier: Apache-2.0
#include "learn/placer.h"

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

std::unique_ptr<Placer> make_placer(const PlacerShape& shape, const Options& options, Parameters& parameters,
                                    Rng& rng) {
  return options.placer == "lstm" ? make_lstm_placer(shape, options, parameters, rng)
                                  : make_one_shot_placer(shape, options, parameters, rng);
}

Tensor bounded(const Tensor& logits, const Options& options) {
  return at::tanh(logits / options.temperature) * options.tanh_constant;
}

Tensor with_noise(const Tensor& logits, const Tensor& noise) {
  if (!noise.defined()) return logits;
  const Tensor size = logits.detach().square().mean({-1}, true).sqrt();
  return logits + noise * size;
}

std::vector<float> unbounded_starts(std::span<const float> log_shares, const Options& options) {
  std::vector<float> starts(log_shares.begin(), log_shares.end());
  if (starts.empty()) return starts;
  const auto [least, most] = std::ranges::minmax(starts);
  const float middle = (least + most) / 2.0F;
  for (float& value : starts) {
    const double share = std::clamp((value - middle) / options.tanh_constant, -0.95, 0.95);
    value = static_cast<float>(std::atanh(share) * options.temperature);
  }
  return starts;
}

Tensor normal_numbers(at::IntArrayRef shape, Rng& rng, at::Device device) {
  return random_tensor(shape, device, [&] { return rng.normal(); });
}

Tensor gumbel_numbers(at::IntArrayRef shape, Rng& rng, at::Device device) {
  return random_tensor(shape, device, [&] { return -std::log(-std::log(std::max(rng.uniform(), 1e-300))); });
}

}  // namespace berth::learn
