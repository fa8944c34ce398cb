// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/placer.h"

#include "learn/hierarchical/lstm_placer.h"
#include "learn/hierarchical/one_shot_placer.h"

namespace berth::learn {

std::unique_ptr<Placer> make_placer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters,
                                    Rng& rng) {
  return options.placer == PlacerKind::kLstm ? make_lstm_placer(shape, options, parameters, rng)
                                             : make_one_shot_placer(shape, options, parameters, rng);
}

}  // namespace berth::learn
