// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/gradients.h"

#include <algorithm>

#include "learn/train/policy.h"

namespace berth::learn {
namespace {

// Rows (groups x columns) of a batch: enough that the cost of calls does not count, and some 100 MB of memory.
constexpr std::size_t kRows = 16'384;

}  // namespace

void add_gradients(const PlacetoLesson& lesson, const PlacetoNetwork& network, const PlacetoTrace& trace,
                   const PerEpisode& weights, double entropy_weight, double ratio_clip, at::Device device) {
  const std::size_t episodes = weights.size();
  const std::size_t at_once =
      std::max<std::size_t>(kRows / std::max<std::size_t>(lesson.graph.size() * episodes, 1), 1);
  for (std::size_t begin = 0; begin < trace.steps.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, trace.steps.size() - begin);
    const PlacetoBatch batch = batch_of(lesson, std::span(trace.steps).subspan(begin, count), device);
    std::vector<float> weight;
    for (std::size_t step = begin; step < begin + count; ++step) {
      for (const std::vector<double>& row : weights) weight.push_back(static_cast<float>(row[step]));
    }
    const Tensor weight_of = tensor_of(weight, {static_cast<std::int64_t>(weight.size())}).to(device);
    const Tensor logs = network.log_probabilities(lesson.network, batch.input);
    const Tensor chosen = logs.gather(1, batch.chosen).squeeze(1);
    Tensor loss = -surrogate(chosen, batch.log_then, weight_of, ratio_clip).sum();
    if (entropy_weight > 0.0) loss = loss + entropy_weight * (logs.exp() * logs).sum();
    loss.backward();
  }
}

}  // namespace berth::learn
