// SPDX-License-Identifier: Apache-2.0
// Grouper: a feed-forward network that gives every item a distribution over groups, each item by itself (Mirhoseini et
// al., 2018).
#pragma once

#include <cstdint>
#include <span>

#include "learn/features/features.h"
#include "learn/nn/parameters.h"
#include "runs/methods/placement.h"

namespace berth::learn {

// Where a Grouper begins.
struct StartingGroups {
  std::span<const std::uint32_t> groups = {};  // of each item; none: anywhere
  double weight = 0.0;                         // logit of being there
};

class Grouper {
 public:
  Grouper(const ItemFeatures& features, const StartingGroups& start, std::size_t groups,
          const PlacementOptions& options, Parameters& parameters, Rng& rng);

  [[nodiscard]] Tensor logits() const;  // [items, groups], with gradients

 private:
  Tensor fixed_;  // [items, what is not learned]
  Tensor types_;  // [items, types], rows that sum to one; undefined if types are not embedded
  Tensor start_;  // [items]: index of the group it begins with; undefined if none
  Tensor type_table_, in_, in_bias_, out_, out_bias_, start_table_;
  bool tanh_ = true;
  double scale_ = 1.0;
};

}  // namespace berth::learn
