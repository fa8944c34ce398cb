// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/placement.h"

namespace berth::learn {
namespace {

std::vector<FieldOf<PlacementOptions>> grouper_fields() {
  using F = Fields<PlacementOptions>;
  using O = PlacementOptions;
  return {
      F::whole("type-size", "numbers of the embedding of a type", &O::type_size, 1, 4'096),
      F::whole("grouper-hidden", "width of the Grouper's hidden layer", &O::grouper_hidden, 1, 16'384),
      F::real("grouper-scale", "factor of the network's logits: how fast a Grouper leaves its start", &O::grouper_scale,
              0, 1'000),
      F::word("grouper-activation", "of that layer: tanh or none", &O::grouper_activation, {"tanh", "none"}),
  };
}

std::vector<FieldOf<PlacementOptions>> placer_fields() {
  using F = Fields<PlacementOptions>;
  using O = PlacementOptions;
  return {
      F::word("placer", "the network that places groups: lstm, transformer, feed-forward", &O::placer,
              {"lstm", "transformer", "feed-forward"}),
      F::whole("hidden", "width of the decoder; each direction of the encoder has half", &O::hidden, 2, 16'384, 2),
      F::whole("attention", "width of the scores of attention", &O::attention, 1, 16'384),
      F::on_off("aligned", "the decoder is shown the group it places, not only by attention", &O::aligned),
      F::word("adjacency", "how edges between groups are seen: counts, binary, none", &O::adjacency,
              {"counts", "binary", "none"}),
      F::on_off("group-types", "how many ops of each type a group has is seen", &O::group_types),
      F::on_off("group-shapes", "the sum of a group's output shapes is seen", &O::group_shapes),
      F::on_off("placed-features", "the decoder sees where a group's neighbours are, and how full devices are by now",
                &O::placed_features),
  };
}

}  // namespace

std::vector<FieldOf<PlacementOptions>> groups_field() {
  using F = Fields<PlacementOptions>;
  return {F::whole("groups", "most groups; 0: as the model and the machine say", &PlacementOptions::groups, 0, 65'536)};
}

std::vector<FieldOf<PlacementOptions>> placement_fields() {
  return joined_fields<PlacementOptions>(
      grouper_fields(), feature_fields(), surroundings_fields(), placer_fields(), bound_fields(),
      plans_fields("m: groupings sampled for an update", "k: placements sampled for each of them"), noise_fields(),
      baseline_fields(), training_fields());
}

void without_additions(PlacementOptions& options) {
  without_additions(static_cast<SamplingOptions&>(options));
  options.grouper_scale = 1.0;
  options.cost_features = options.device_features = false;
  options.aligned = options.placed_features = false;
}

}  // namespace berth::learn
