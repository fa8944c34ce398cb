// SPDX-License-Identifier: Apache-2.0
// `colocrl` (Mirhoseini et al., ICML 2017): a recurrent policy over groups that heuristics of colocation form.
#pragma once

#include "runs/methods/placement.h"

namespace berth::learn {

struct MethodInfo;  // runs/methods.h

struct ColocrlOptions : PlacementOptions {
  bool operator==(const ColocrlOptions&) const = default;
};

ColocrlOptions colocrl_default();
ColocrlOptions colocrl_paper();

MethodInfo colocrl_info();

}  // namespace berth::learn
