// SPDX-License-Identifier: Apache-2.0
// Places of repeated layers: where a model stacks layers of one make ("encoder.layer.0" to "encoder.layer.11"), the ops
// at the same place of each. To move them as one decides the inside of a layer once for the whole stack: expert 3 of
// every layer goes to one device, say.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/layers/layers.h"

namespace berth {

// A label per op, equal for ops at the same place of layers that repeat: the same module inside the layer, the same
// type, the same pass, and as many of those before it. Layers that do not repeat have one label each. Nothing where no
// layer repeats.
std::optional<std::vector<std::uint32_t>> repeated_places(const Graph& graph, const Layers& layers);

}  // namespace berth
