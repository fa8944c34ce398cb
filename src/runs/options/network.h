// SPDX-License-Identifier: Apache-2.0
// Options that several methods' networks have: what is seen of ops and devices, and how logits are bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "runs/options/field.h"

namespace berth::learn {

// How the type of an op is seen: by a learned embedding, as one number, not at all.
enum class TypeFeature : std::uint8_t { kEmbedding, kIndex, kNone };
// How the neighbours of an op are seen: a few indices in and out, those of Google's code, all of them, not at all.
enum class NeighbourFeature : std::uint8_t { kSlots, kSigned, kAggregate, kNone };

struct FeatureOptions {
  TypeFeature type_feature = TypeFeature::kEmbedding;
  int max_types = 200;
  int outputs = 6, dims = 4;  // of output shapes; 0: not seen
  NeighbourFeature neighbours = NeighbourFeature::kAggregate;
  int neighbour_slots = 6;      // of slots: as many in and as many out; of signed: in all
  bool cost_features = true;    // flops, parameter, output and crossing bytes
  bool device_features = true;  // speed, memory and links of devices

  bool operator==(const FeatureOptions&) const = default;
};

// C and T of C tanh(l / T).
struct LogitBound {
  double tanh_constant = 5.0, temperature = 10.0;

  bool operator==(const LogitBound&) const = default;
};

// type-feature, max-types, cost-features, device-features.
std::vector<FieldOf<FeatureOptions>> feature_fields();
// outputs, dims, neighbours, neighbour-slots.
std::vector<FieldOf<FeatureOptions>> surroundings_fields();
std::vector<FieldOf<LogitBound>> bound_fields();

}  // namespace berth::learn
