// SPDX-License-Identifier: Apache-2.0
// Whole numbers that are known before the step: arithmetic on shapes, as far as models do it to make other shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/shapes/rules.h"

namespace berth::tensorflow {

inline constexpr std::size_t kMostContents = 256;  // numbers of a tensor; longer ones are not looked at

// Of the outputs of an op whose shapes are known by now; all numbers of a tensor are known, or none.
std::vector<Contents> compute_contents(const NodeView& op);

// The axes over which a gradient is summed up for an input (0 or 1) that was broadcast; the inputs are shapes.
std::optional<std::vector<std::int64_t>> broadcast_gradient_axes(const NodeView& op, std::size_t input);

}  // namespace berth::tensorflow
