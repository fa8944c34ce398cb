// SPDX-License-Identifier: Apache-2.0
// `colocrl` (Mirhoseini et al., ICML 2017): a recurrent policy over groups that heuristics of colocation form.
#pragma once

#include "runs/methods/placement.h"
#include "runs/options/grouping.h"

namespace berth::learn {

struct MethodInfo;     // runs/methods.h
struct LearnedMethod;  // learn/methods.h

// `groups` = 0: the number that the paper states for such a model.
struct ColocrlOptions : PlacementOptions {
  GroupingRule grouping;

  bool operator==(const ColocrlOptions&) const = default;
};

ColocrlOptions colocrl_default();
ColocrlOptions colocrl_paper();

struct Colocrl {
  using Options = ColocrlOptions;
  static MethodInfo info();
  static LearnedMethod learned();  // learn/colocrl
};

}  // namespace berth::learn
