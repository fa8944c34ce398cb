// SPDX-License-Identifier: Apache-2.0
// What `hierarchical` and `colocrl` have in common: a Placer that places groups of ops, and a network that sees ops one
// by one (learn/hierarchical), which is the Grouper where groups are learned and chooses devices where there are none.
#pragma once

#include <cstdint>
#include <vector>

#include "runs/options/network.h"
#include "runs/options/sampling.h"

namespace berth::learn {

enum class GrouperActivation : std::uint8_t { kTanh, kNone };
enum class PlacerKind : std::uint8_t { kLstm, kTransformer, kFeedForward };
// How a group's embedding shows its edges: counts (both directions, rows scaled), binary, not at all.
enum class Adjacency : std::uint8_t { kCounts, kBinary, kNone };

struct PlacementOptions : SamplingOptions, FeatureOptions, LogitBound {
  int groups = 64;     // most of them; 0: as the method says
  int type_size = 20;  // of the embedding of a type
  int grouper_hidden = 64;
  GrouperActivation grouper_activation = GrouperActivation::kTanh;
  double grouper_scale = 0.1;  // of the network's logits beside those of the start: how fast a Grouper leaves its start
  PlacerKind placer = PlacerKind::kLstm;
  int hidden = 64;      // of the decoder; each direction of the encoder has half
  int attention = 32;   // width of the scores of content-based attention
  bool aligned = true;  // the decoder is shown the group it places; else it must find it by attention
  Adjacency adjacency = Adjacency::kCounts;
  bool group_types = true, group_shapes = true;  // histogram of types, sum of shapes
  bool placed_features = true;  // the decoder sees where the neighbours of a group are, and how full devices are by now

  bool operator==(const PlacementOptions&) const = default;
};

std::vector<FieldOf<PlacementOptions>> groups_field();
std::vector<FieldOf<PlacementOptions>> placement_fields();  // all others
// Takes away what no publication has and this project added.
void without_additions(PlacementOptions& options);

}  // namespace berth::learn
