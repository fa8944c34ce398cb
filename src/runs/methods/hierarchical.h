// SPDX-License-Identifier: Apache-2.0
// `hierarchical` (Mirhoseini et al., ICLR 2018): a Grouper and a Placer trained together.
#pragma once

#include "runs/methods/placement.h"

namespace berth::learn {

struct MethodInfo;  // runs/methods.h

struct HierarchicalOptions : PlacementOptions {
  bool operator==(const HierarchicalOptions&) const = default;
};

HierarchicalOptions hierarchical_default();
HierarchicalOptions hierarchical_paper();
HierarchicalOptions hierarchical_google();

MethodInfo hierarchical_info();

}  // namespace berth::learn
