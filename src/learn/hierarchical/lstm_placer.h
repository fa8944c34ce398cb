// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/hierarchical/placer.h"

namespace berth::learn {

// A Placer that reads groups in turn and places each given those before it: an encoder, attention, a decoder.
std::unique_ptr<Placer> make_lstm_placer(const PlacerShape& shape, const PlacementOptions& options,
                                         Parameters& parameters, Rng& rng);

}  // namespace berth::learn
