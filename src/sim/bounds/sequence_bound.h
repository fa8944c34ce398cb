// SPDX-License-Identifier: Apache-2.0
// Sequence bound: on a machine without overlap (docs/simulator.md, rule 8) all times add up: every unit on the device
// where it takes least, and at least one region per connected part of the graph. With fusion allowed the compute parts
// alone, and one region: a fused group may join what is not connected.
#pragma once

#include "base/units.h"
#include "problem/problem.h"

namespace berth {

Picoseconds sequence_bound(const Problem& problem, bool fusion_allowed);

}  // namespace berth
