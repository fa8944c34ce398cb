// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/bounds/bounds.h"

namespace berth {

// On a machine without overlap (docs/simulator.md, rule 8) all times add up: every unit on the device where it takes
// least, and at least one region per connected part of the graph. With fusion allowed the compute parts alone, and one
// region: a fused group may join what is not connected.
LowerBound sequential_bound(const Problem& problem, bool fusion_allowed);

}  // namespace berth
