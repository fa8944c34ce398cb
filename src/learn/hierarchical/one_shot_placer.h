// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/hierarchical/placer.h"

namespace berth::learn {

// Placers that decide on all groups at once: a transformer encoder, or a feed-forward network per group.
std::unique_ptr<Placer> make_one_shot_placer(const PlacerShape& shape, const PlacementOptions& options,
                                             Parameters& parameters, Rng& rng);

}  // namespace berth::learn
