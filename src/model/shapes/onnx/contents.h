// SPDX-License-Identifier: Apache-2.0
// Contents of small whole-number tensors that ONNX models compute on their way to a shape: Shape, Gather, Concat and
// the arithmetic between them. Numbers that are not known stay open; the others are kept.
#pragma once

#include <cstddef>
#include <vector>

#include "model/shapes/rules.h"

namespace berth {

// Longer tensors are not computed: no shape, and no pair of numbers per axis, is as long. Keeps memory near the file's.
inline constexpr std::size_t kMostComputed = 64;

// Contents of the outputs, as far as they follow from what is known of the inputs; fewer than the node has where
// nothing does.
std::vector<Contents> compute_contents(const NodeView& node);

}  // namespace berth
