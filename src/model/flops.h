// SPDX-License-Identifier: Apache-2.0
// Flops of a node by its type and shapes: matrix products, convolutions, attention and recurrent layers, 2 per
// multiply-add; everything else has none. And which types only look at their input in another way.
#pragma once

#include "model/model.h"

namespace berth {

// 0 where a shape it needs is unknown.
double flops_of(const Model& model, const Node& node);

// Whether the outputs of the node alias its first input in the runtimes of its framework.
bool is_view_type(Dialect dialect, const Node& node);

}  // namespace berth
