// SPDX-License-Identifier: Apache-2.0
// Attributes of a layer as the Model has them: texts become numbers and lists where they are such.
#pragma once

#include "import/openvino/ir_net.h"
#include "model/model.h"

namespace berth::openvino {

// "true" and "false" are 1 and 0. What stands for one number per axis (strides, pads, kernels ...) is a list even if
// there is one axis only. What is neither number nor list of numbers stays a text.
Attribute typed_attribute(std::string_view name, std::string_view text);

}  // namespace berth::openvino
