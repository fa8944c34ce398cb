// SPDX-License-Identifier: Apache-2.0
// Names for dynamic sizes of OpenVINO's models. The file says only "dynamic" of a size, layer after layer, and has the
// constants that would tell more in another file; its reader gives each a name of its own, after the layer and the axis
// ("concat.2", "split:1.0" for a second output). So that a user can give a size once (--dim input_ids.1=128), rules
// (model/shapes/openvino/rules.h) carry the names of inputs along, as far as they go.
#pragma once

#include "model/model.h"
#include "model/sizes.h"

namespace berth {

// `given` are sizes of names; with them, sizes that follow from others are plain numbers. A name that is given counts,
// also where its size would follow from others.
void infer_openvino_shapes(Model& model, const DimSizes& given = {});

}  // namespace berth
