// SPDX-License-Identifier: Apache-2.0
// Placer: a distribution over the devices of a sequence of groups, given their embeddings.
#pragma once

#include <memory>
#include <vector>

#include "learn/features/rows.h"
#include "learn/nn/parameters.h"
#include "runs/methods/placement.h"

namespace berth::learn {

// Choices for m groupings times k placements, and the noise under which they were drawn.
struct Placements {
  Tensor devices;  // [m k, groups], whole numbers
  Tensor noise;    // [m k, groups, devices], in root mean squares of the logits; undefined: none
};

// m groupings as a Placer sees them. The last three only with PlacementOptions::placed_features (PlacedInput).
struct GroupInput {
  Tensor embedding;   // [m, groups, width]
  Tensor neighbours;  // [m, groups, groups]
  Tensor time;        // [m, groups, devices]
  Tensor memory;      // [m, groups, devices]
};

class Placer {
 public:
  virtual ~Placer() = default;
  // Draws k placements for each of the m groupings. Without gradients.
  virtual Placements draw(const GroupInput& groups, int placements, double noise, Rng& rng) const = 0;
  // Log-probability of every device for every group [m k, groups, devices], each given the choices that were drawn
  // before it. With gradients.
  [[nodiscard]] virtual Tensor log_probabilities(const GroupInput& groups, const Placements& drawn) const = 0;
  // The most likely device, choice by choice [m, groups].
  [[nodiscard]] virtual Tensor greedy(const GroupInput& groups) const = 0;
  // How much a Placer looks at every group while it decides on each [m, groups, groups], given the choices [m, groups];
  // rows add up to one. Undefined where it looks at none. Without gradients.
  [[nodiscard]] virtual Tensor attention(const GroupInput& groups, const Tensor& devices) const = 0;
};

struct PlacerShape {
  std::int64_t width = 0, devices = 0;
  Rows device_features{0, 0};       // one row per device; no columns: none
  std::vector<float> start_logits;  // bias of every device at the start; empty: 0
};

// As PlacementOptions::placer says.
std::unique_ptr<Placer> make_placer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters,
                                    Rng& rng);

}  // namespace berth::learn
