// SPDX-License-Identifier: Apache-2.0
// Noise that explores whole stretches of a graph at once: for every device a random wave over the coordinates of the
// nodes (random Fourier features). Nodes near each other get about the same noise, so that a plan drawn under it tries
// one half of the model here and the other there. Drawn by itself, every node of a large graph would go its own way,
// and all such plans are alike bad.
#pragma once

#include "base/rng.h"
#include "learn/go/graph.h"

namespace berth::learn {

// [plans, nodes, devices], of about the given deviation in logits for the devices with the largest share, less for
// those with less.
Tensor field_noise(const GoGraph& graph, int plans, double deviation, Rng& rng);

}  // namespace berth::learn
