// SPDX-License-Identifier: Apache-2.0
// Placers that decide on all groups at once, each by itself given what was read: a transformer encoder over the groups
// (Vaswani et al., 2017; layer norms first), or a feed-forward network per group.
#include "learn/hierarchical/one_shot_placer.h"

#include <cmath>
#include <numeric>

#include "learn/nn/logits.h"
#include "learn/nn/random.h"

namespace berth::learn {
namespace {

constexpr int kLayers = 2, kHeads = 4;

struct Layer {
  Tensor query_key_value, out, grow, grow_bias, shrink, shrink_bias, norm_1, norm_1_bias, norm_2, norm_2_bias;
};

class OneShotPlacer : public Placer {
 public:
  OneShotPlacer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters, Rng& rng);
  Placements draw(const GroupInput& groups, int placements, double noise, Rng& rng) const override;
  [[nodiscard]] Tensor log_probabilities(const GroupInput& groups, const Placements& drawn) const override;
  [[nodiscard]] Tensor greedy(const GroupInput& groups) const override;
  // The mean of all heads and layers.
  [[nodiscard]] Tensor attention(const GroupInput& groups, const Tensor& devices) const override;

 private:
  // [m, groups, devices]; `weights`: where to put those of every layer [m, heads, groups, groups].
  [[nodiscard]] Tensor logits(const Tensor& groups, std::vector<Tensor>* weights = nullptr) const;
  [[nodiscard]] Tensor attend(const Layer& layer, const Tensor& states, std::vector<Tensor>* weights) const;
  void add_layer(const std::string& name, Parameters& parameters, Rng& rng);

  PlacementOptions options_;
  std::int64_t size_, devices_;
  Tensor in_, in_bias_, out_, out_bias_;
  std::vector<Layer> layers_;
};

OneShotPlacer::OneShotPlacer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters,
                             Rng& rng)
    : options_(options), size_((options.hidden + kHeads - 1) / kHeads * kHeads), devices_(shape.devices) {
  in_ = parameters.glorot("placer.in", shape.width, size_, rng);
  // Not 0: the norm of an empty group, whose embedding is 0, would have no direction.
  in_bias_ = parameters.glorot("placer.in_bias", 1, size_, rng);
  if (options.placer == PlacerKind::kTransformer) {
    for (int i = 0; i < kLayers; ++i) add_layer("placer.layer" + std::to_string(i), parameters, rng);
  }
  out_ = parameters.glorot("placer.out", size_, devices_, rng);
  std::vector<float> bias = shape.start_logits;
  bias.resize(static_cast<std::size_t>(devices_));
  out_bias_ = parameters.from("placer.out_bias", bias, {devices_});
}

void OneShotPlacer::add_layer(const std::string& name, Parameters& parameters, Rng& rng) {
  Layer layer;
  layer.query_key_value = parameters.glorot(name + ".qkv", size_, 3 * size_, rng);
  layer.out = parameters.glorot(name + ".out", size_, size_, rng);
  layer.grow = parameters.glorot(name + ".grow", size_, 2 * size_, rng);
  layer.grow_bias = parameters.constant(name + ".grow_bias", {2 * size_}, 0.0);
  layer.shrink = parameters.glorot(name + ".shrink", 2 * size_, size_, rng);
  layer.shrink_bias = parameters.constant(name + ".shrink_bias", {size_}, 0.0);
  layer.norm_1 = parameters.constant(name + ".norm1", {size_}, 1.0);
  layer.norm_1_bias = parameters.constant(name + ".norm1_bias", {size_}, 0.0);
  layer.norm_2 = parameters.constant(name + ".norm2", {size_}, 1.0);
  layer.norm_2_bias = parameters.constant(name + ".norm2_bias", {size_}, 0.0);
  layers_.push_back(std::move(layer));
}

Tensor OneShotPlacer::attend(const Layer& layer, const Tensor& states, std::vector<Tensor>* weights) const {
  const std::int64_t rows = states.size(0), groups = states.size(1), width = size_ / kHeads;
  const auto heads = [&](const Tensor& part) { return part.reshape({rows, groups, kHeads, width}).transpose(1, 2); };
  const std::vector<Tensor> parts = at::matmul(states, layer.query_key_value).chunk(3, 2);
  const Tensor scores = at::matmul(heads(parts[0]), heads(parts[1]).transpose(2, 3)) / std::sqrt(double(width));
  const Tensor shares = at::softmax(scores, 3);
  if (weights != nullptr) weights->push_back(shares);
  const Tensor mixed = at::matmul(shares, heads(parts[2]));
  return at::matmul(mixed.transpose(1, 2).reshape({rows, groups, size_}), layer.out);
}

Tensor OneShotPlacer::logits(const Tensor& groups, std::vector<Tensor>* weights) const {
  Tensor states = at::tanh(at::matmul(groups, in_) + in_bias_);
  for (const Layer& layer : layers_) {
    states = states + attend(layer, at::layer_norm(states, {size_}, layer.norm_1, layer.norm_1_bias), weights);
    const Tensor input = at::layer_norm(states, {size_}, layer.norm_2, layer.norm_2_bias);
    const Tensor grown = at::gelu(at::matmul(input, layer.grow) + layer.grow_bias);
    states = states + at::matmul(grown, layer.shrink) + layer.shrink_bias;
  }
  return bounded(at::matmul(states, out_) + out_bias_, options_);
}

Placements OneShotPlacer::draw(const GroupInput& groups, int placements, double noise, Rng& rng) const {
  const at::NoGradGuard guard;
  const Tensor all = logits(groups.embedding).repeat_interleave(placements, 0);
  Placements drawn;
  if (noise > 0.0) drawn.noise = normal_numbers(all.sizes(), rng, all.device()) * noise;
  drawn.devices = (with_noise(all, drawn.noise) + gumbel_numbers(all.sizes(), rng, all.device())).argmax(2);
  return drawn;
}

Tensor OneShotPlacer::log_probabilities(const GroupInput& groups, const Placements& drawn) const {
  const Tensor all = logits(groups.embedding).repeat_interleave(drawn.devices.size(0) / groups.embedding.size(0), 0);
  return at::log_softmax(with_noise(all, drawn.noise), 2);
}

Tensor OneShotPlacer::greedy(const GroupInput& groups) const {
  const at::NoGradGuard guard;
  return logits(groups.embedding).argmax(2);
}

Tensor OneShotPlacer::attention(const GroupInput& groups, const Tensor& /*devices*/) const {
  const at::NoGradGuard guard;
  std::vector<Tensor> weights;
  (void)logits(groups.embedding, &weights);
  return weights.empty() ? Tensor() : at::cat(weights, 1).mean(1);
}

}  // namespace

std::unique_ptr<Placer> make_one_shot_placer(const PlacerShape& shape, const PlacementOptions& options,
                                             Parameters& parameters, Rng& rng) {
  return std::make_unique<OneShotPlacer>(shape, options, parameters, rng);
}

}  // namespace berth::learn
