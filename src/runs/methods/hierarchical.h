// SPDX-License-Identifier: Apache-2.0
// `hierarchical` (Mirhoseini et al., ICLR 2018): a Grouper and a Placer trained together.
#pragma once

#include <optional>

#include "runs/methods/placement.h"
#include "runs/options/grouping.h"

namespace berth::learn {

struct MethodInfo;     // runs/methods.h
struct LearnedMethod;  // learn/methods.h

// Where a Grouper begins: anywhere, or with groups grown along heavy tensors.
enum class GrouperStart : std::uint8_t { kNone, kHeavy };

// `groups` = 0: min(256, 20 x devices), as in Google's code.
struct HierarchicalOptions : PlacementOptions {
  std::optional<GroupingRule> grouping;  // nothing: learned by a Grouper, as the next three say
  int clusters = 8;                      // it decides on so many clusters of ops per group; 0: on single ops
  GrouperStart start = GrouperStart::kHeavy;
  double start_weight = 9.0;  // logit of the group it begins with

  bool operator==(const HierarchicalOptions&) const = default;
};

HierarchicalOptions hierarchical_default();
HierarchicalOptions hierarchical_paper();
HierarchicalOptions hierarchical_google();

struct Hierarchical {
  using Options = HierarchicalOptions;
  static MethodInfo info();
  static LearnedMethod learned();  // learn/hierarchical
};

}  // namespace berth::learn
