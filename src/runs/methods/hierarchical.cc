// SPDX-License-Identifier: Apache-2.0
// Presets here and beside: `default` is what works best here within minutes. `paper` and `google` hold the figures of
// the publications and of Google's open-source code; what these do not say is marked as chosen.
#include "runs/methods/hierarchical.h"

#include "runs/methods/info.h"

namespace berth::learn {

HierarchicalOptions hierarchical_default() { return {}; }

HierarchicalOptions hierarchical_paper() {
  HierarchicalOptions options;
  without_additions(options);
  options.groups = 256;
  options.type_feature = TypeFeature::kEmbedding;
  options.type_size = 20, options.max_types = 200;
  options.outputs = 6, options.dims = 4;
  options.neighbours = NeighbourFeature::kSlots;
  options.neighbour_slots = 6;
  options.grouper_hidden = 64;
  options.grouper_activation = GrouperActivation::kTanh;  // chosen
  options.hidden = options.attention = 256;  // "hidden 256" may mean each direction, so that the decoder had 512
  options.tanh_constant = 5.0, options.temperature = 10.0;
  options.adjacency = Adjacency::kBinary;
  options.groupings = 1, options.placements = 4;
  options.rate = 0.1, options.rate_decay = 1.0;
  options.clip = 1.0;
  options.noise = 0.1, options.noise_updates = 500;  // the size is unverified
  options.valid_only_after = 500;
  options.baseline_decay = 0.9;  // chosen, as in Google's code
  options.baseline_fails = false;
  return options;
}

// tensorflow/python/grappler/hierarchical_controller.py, without its defects.
HierarchicalOptions hierarchical_google() {
  HierarchicalOptions options;
  without_additions(options);
  options.groups = 0;  // min(256, 20 x devices)
  options.type_feature = TypeFeature::kIndex;
  options.outputs = 5, options.dims = 5;
  options.neighbours = NeighbourFeature::kSigned;
  options.neighbour_slots = 10;
  options.grouper_hidden = 64;
  options.grouper_activation = GrouperActivation::kNone;
  options.hidden = options.attention = 512;
  options.tanh_constant = 1.0, options.temperature = 1.0;
  options.adjacency = Adjacency::kCounts;
  options.groupings = 1, options.placements = 1;
  options.rate = 0.1, options.rate_decay = 0.95;
  options.decay_after = 400, options.decay_every = 50;
  options.clip = 1.0;
  options.noise = 0.5, options.noise_updates = 750;
  options.valid_only_after = 1000;
  options.baseline_decay = 0.9;
  options.baseline_fails = true;
  return options;
}

MethodInfo hierarchical_info() {
  using Own = HierarchicalOptions;
  return {.name = "hierarchical",
          .summary = "grouper and placer trained together (2018)",
          .why_not_general = "it has a learned row for each cluster of that graph's ops and an output for each device",
          .fields = fields_of_placement<Own>(),
          .presets = {{"default", hierarchical_default()},
                      {"paper", hierarchical_paper()},
                      {"google", hierarchical_google()}},
          .plain = Own(),
          .hints = hints_of_placement<Own>()};
}

}  // namespace berth::learn
