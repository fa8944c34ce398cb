// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/placeto/episodes.h"
#include "learn/placeto/network.h"
#include "learn/placeto/returns.h"

namespace berth::learn {

// The gradients of these decisions, added to those of the parameters: of - sum of weight * log p, or PPO's surrogate,
// less entropy_weight * the sum of entropies. weights[i] has a row per episode. A few thousand rows at a time.
void add_gradients(const PlacetoLesson& lesson, const PlacetoNetwork& network, const PlacetoTrace& trace,
                   const PerEpisode& weights, double entropy_weight, double ratio_clip, at::Device device);

}  // namespace berth::learn
