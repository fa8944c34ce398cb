// SPDX-License-Identifier: Apache-2.0
// What the tests of graphs are made of.
#pragma once

#include "graph/types.h"

namespace berth {

inline const TensorSpec kScalar{DType::kF32, {}};

}  // namespace berth
