// SPDX-License-Identifier: Apache-2.0
// What `hierarchical` and `colocrl` have in common: groups of ops, learned or given, and a Placer that places them
// (learn/hierarchical).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runs/options/grouping.h"
#include "runs/options/network.h"
#include "runs/options/sampling.h"

namespace berth::learn {

// Where a Grouper begins: anywhere, or with groups grown along heavy tensors.
enum class GrouperStart : std::uint8_t { kNone, kHeavy };
enum class GrouperActivation : std::uint8_t { kTanh, kNone };
enum class PlacerKind : std::uint8_t { kLstm, kTransformer, kFeedForward };
// How a group's embedding shows its edges: counts (both directions, rows scaled), binary, not at all.
enum class Adjacency : std::uint8_t { kCounts, kBinary, kNone };

struct PlacementOptions : SamplingOptions, FeatureOptions, LogitBound {
  GroupingRule grouping;
  // 0: as the problem says. For a Grouper that learns min(256, 20 x devices), as in Google's code; for colocrl the
  // number that the paper states for such a model.
  int groups = 64;
  int clusters = 8;  // the Grouper decides on so many clusters of ops per group; 0: on single ops
  GrouperStart start = GrouperStart::kHeavy;
  double start_weight = 9.0;  // logit of the group it begins with
  int type_size = 20;         // of the embedding of a type
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

  [[nodiscard]] bool learns_groups() const { return grouping.kind == GroupingRule::Kind::kLearned; }
  bool operator==(const PlacementOptions&) const = default;
};

std::vector<FieldOf<PlacementOptions>> grouper_fields();
std::vector<FieldOf<PlacementOptions>> placer_fields();
// What to try where all ops are in one group; empty where that was asked for.
std::string apart_hint(const PlacementOptions& options);
// Takes away what no publication has and this project added.
void without_additions(PlacementOptions& options);

}  // namespace berth::learn
