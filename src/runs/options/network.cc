// SPDX-License-Identifier: Apache-2.0
#include "runs/options/network.h"

namespace berth::learn {

std::vector<FieldOf<FeatureOptions>> feature_fields() {
  using F = Fields<FeatureOptions>;
  using O = FeatureOptions;
  return {
      F::word("type-feature", "how the type of an op is seen: embedding (learned), index (one number), none",
              &O::type_feature, {"embedding", "index", "none"}),
      F::whole("max-types", "types with an embedding of their own: the most common", &O::max_types, 1, 100'000),
      F::on_off("cost-features", "flops and bytes of an op are seen", &O::cost_features),
      F::on_off("device-features", "speed, memory and links of devices are seen", &O::device_features),
  };
}

std::vector<FieldOf<FeatureOptions>> surroundings_fields() {
  using F = Fields<FeatureOptions>;
  using O = FeatureOptions;
  return {
      F::whole("outputs", "output shapes of an op that are seen; 0: none", &O::outputs, 0, 64),
      F::whole("dims", "sizes of each of these shapes that are seen; 0: none", &O::dims, 0, 32),
      F::word("neighbours",
              "how neighbours of an op are seen: slots (a few indices in and out), signed (a few with their side, as "
              "in Google's code), aggregate (all of them), none",
              &O::neighbours, {"slots", "signed", "aggregate", "none"}),
      F::whole("neighbour-slots", "of slots: as many in and as many out; of signed: in all", &O::neighbour_slots, 1,
               1'024),
  };
}

std::vector<FieldOf<LogitBound>> bound_fields() {
  using F = Fields<LogitBound>;
  return {
      F::real("tanh-constant", "C of C tanh(l / T), the bound of logits", &LogitBound::tanh_constant, 0.001, 1'000),
      F::real("temperature", "T of C tanh(l / T)", &LogitBound::temperature, 0.001, 1'000),
  };
}

}  // namespace berth::learn
