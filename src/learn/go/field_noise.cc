// SPDX-License-Identifier: Apache-2.0
#include "learn/go/field_noise.h"

#include <cmath>

#include "learn/nn/random.h"

namespace berth::learn {

Tensor field_noise(const GoGraph& graph, int plans, double deviation, Rng& rng) {
  constexpr std::int64_t kWavesEach = 3;
  constexpr double kTurn = 2.0 * 3.14159265358979, kFrequency = 0.7;  // turns from one end of a graph to the other
  const at::NoGradGuard guard;
  const at::Device device = graph.nodes.device();
  const std::int64_t devices = graph.num_devices(), waves = devices * kWavesEach;
  const Tensor strength = (graph.share / graph.share.max()).sqrt() * (deviation * std::sqrt(2.0 / kWavesEach));
  std::vector<Tensor> fields;
  for (int i = 0; i < plans; ++i) {
    const Tensor frequency = normal_numbers({kCoordinates, waves}, rng, device) * (kTurn * kFrequency);
    const Tensor phase = normal_numbers({1, waves}, rng, device) * kTurn;
    const Tensor height = normal_numbers({1, devices, kWavesEach}, rng, device);
    const Tensor wave = at::cos(at::mm(graph.coordinates, frequency) + phase);
    fields.push_back((wave.reshape({-1, devices, kWavesEach}) * height).sum(2) * strength);
  }
  return at::stack(fields);
}

}  // namespace berth::learn
