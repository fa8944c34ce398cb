// SPDX-License-Identifier: Apache-2.0
// Models of frameworks, by the ending of the file: .onnx, .pt2, .xml (OpenVINO), .pb, .pbtxt and .meta (TensorFlow).
// All errors begin with the file's name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/lower.h"

namespace berth {

bool is_model_file(std::string_view path);

// `sizes` of named dimensions only help the readers that infer shapes (TensorFlow, OpenVINO); lower() binds them for
// all.
Result<Model> read_model_file(const std::string& path, const DimSizes& sizes = {});

// The model as a graph, with what had to be assumed about it. A dimension that the model does not have is an error.
Result<Lowered> import_model(const std::string& path, const LowerOptions& options = {});

}  // namespace berth
