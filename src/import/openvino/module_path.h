// SPDX-License-Identifier: Apache-2.0
// Module paths out of the names that OpenVINO's converters give to layers.
#pragma once

#include <string>
#include <string_view>

namespace berth::openvino {

// From PyTorch "__module.encoder.layer.0.output/aten::linear/MatMul" gives "encoder.layer.0.output"; from ONNX and
// TensorFlow "/layer1/layer1.0/conv1/Conv" gives "layer1.0.conv1": the last part is the op, a part that only begins the
// next one is dropped. A name without slashes has no path.
std::string module_path(std::string_view layer_name);

}  // namespace berth::openvino
