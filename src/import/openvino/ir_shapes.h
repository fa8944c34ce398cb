// SPDX-License-Identifier: Apache-2.0
// Names for dynamic sizes. The file says only "dynamic" of a size, layer after layer, and has the constants that would
// tell more in another file. So that a user can give a size once (--dim input_ids.1=128), names are carried along:
//
// - the sizes of a Parameter are called after it and the axis: "input_ids.1";
// - a MatMul takes rows and columns from its operands, and the rest from both;
// - a Transpose, Reshape, Gather and the like hand their dynamic sizes on in order, if they keep their number;
// - windows (convolutions, pools) keep the axes 0 and 1, a Concat all but its own axis. What they make of the others
//   follows from strides, paddings and the shape of the weight, or is a sum, as soon as the sizes that it depends on
//   are given;
// - any other layer hands on sizes axis by axis, counted from the last, as broadcasting does. A slice of a dynamic axis
//   thus counts as the whole axis, which is more, never less;
// - what is still unknown gets a name of its own, after the layer that makes it: "concat.2", "split:1.0" for a second
//   output.
//
// Long names of layers are cut (short_name). Order instead of the real permutation can swap two dynamic sizes; it costs
// nothing where they are equal.
#pragma once

#include <vector>

#include "import/openvino/ir_links.h"
#include "import/openvino/ir_net.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth::openvino {

// Shape of every output, by layer and output.
using LayerShapes = std::vector<std::vector<Shape>>;

// `given` are sizes of names; with them, sizes that follow from others are plain numbers. A name that is given counts,
// also where its size would follow from others.
LayerShapes name_dynamic_sizes(const IrNet& net, const IrLinks& links, const DimSizes& given);

}  // namespace berth::openvino
