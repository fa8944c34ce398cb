// SPDX-License-Identifier: Apache-2.0
// Weights that a model reads in several layouts: the embedding of words that is also, transposed, the last layer.
// Frameworks hold such a weight once, so the nodes that only arrange it anew become views of it instead of being folded
// into copies. A weight that is read in one layout only, whichever, is left to folding.
#pragma once

#include "model/model.h"

namespace berth {

// Marks those nodes: Node::is_view.
void share_weights(Model& model);

}  // namespace berth
