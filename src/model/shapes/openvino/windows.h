// SPDX-License-Identifier: Apache-2.0
// Lengths that windows make: convolutions, transposed ones and pools, from the attributes of the layer and the shape of
// its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/shapes/node_view.h"

namespace berth::openvino {

inline constexpr std::size_t kWindowFreeAxes = 2;  // batch and channels

// Size of an axis of the output, from kWindowFreeAxes on; `inputs` are the shapes of the layer's inputs. Nothing if it
// is no such layer, a size that it depends on is not known, the .bin has it, or the window does not fit.
std::optional<std::int64_t> window_length(const NodeView& layer, std::span<const Shape* const> inputs,
                                          std::size_t axis);

}  // namespace berth::openvino
