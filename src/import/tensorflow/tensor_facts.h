// SPDX-License-Identifier: Apache-2.0
// Shapes and constants of a file, without weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace berth::tensorflow {

// A constant without its weights.
struct TensorFacts {
  std::int64_t data_type = 0;
  std::optional<Shape> shape;
  std::optional<std::vector<std::int64_t>>
      contents;  // of at most kMostContents whole numbers (model/shapes/tensorflow/contents.h)
};

// From the bytes of a TensorShapeProto: none if not even the rank is known, or more than a graph may have.
std::optional<Shape> read_shape(std::string_view bytes);
TensorFacts read_tensor(std::string_view bytes);  // from a TensorProto

}  // namespace berth::tensorflow
