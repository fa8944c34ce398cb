// SPDX-License-Identifier: Apache-2.0
// What the texts of a layer mean: its element types, attributes, and the module that its name tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/kinds.h"
#include "import/openvino/ir_net.h"
#include "model/model.h"

namespace berth::openvino {

// Element types in both spellings, "FP16" of ports and "f16" of attributes. Types that we do not have become the narrowest of ours that holds them: unsigned numbers their signed kin, one to
// four bits (U1, BIN, U2, U3, U4, NF4, F4E2M1) I4, six bits U8. None for strings, for types that a run decides, and for
// types that we do not know.
std::optional<DType> element_type(std::string_view name);

// An attribute as the Model has it: texts become numbers and lists where they are such. "true" and "false" are 1 and 0. What stands for one number per axis (strides, pads, kernels ...) is a list even if
// there is one axis only. What is neither number nor list of numbers stays a text.
Attribute typed_attribute(std::string_view name, std::string_view text);

// The module path in the name that OpenVINO's converters give to a layer. From PyTorch "__module.encoder.layer.0.output/aten::linear/MatMul" gives "encoder.layer.0.output"; from ONNX and
// TensorFlow "/layer1/layer1.0/conv1/Conv" gives "layer1.0.conv1": the last part is the op, a part that only begins the
// next one is dropped. A name without slashes has no path.
std::string module_path(std::string_view layer_name);

}  // namespace berth::openvino
