// SPDX-License-Identifier: Apache-2.0
// Sizes of values, and the dimensions that are names.
//
// Every importer names the sizes that a file leaves open: ONNX has names of its own ("batch"), exported programs of
// PyTorch have symbols with the size of the export ("s77", "2*s77"), TensorFlow's unknown sizes are called "batch" and
// "INPUT.i", OpenVINO's "INPUT.i". What is still without a name gets "INPUT.i" here: the input and the axis. Sizes that
// only a run of an ONNX model can tell are "NODE.i" (model/shapes/onnx/shapes.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/lowered.h"
#include "model/model.h"

namespace berth {

// Longer names are left out: every shape that a dimension flows into has a copy.
inline constexpr std::size_t kLongestDimName = 1024;

// The name under which the turns of loops are given whose file does not tell how often they turn: no dimension, but as
// open as one, and every such loop has the same.
inline constexpr std::string_view kLoopTurns = "loop.turns";

// 1 unless given.
std::int64_t loop_turns(const DimSizes& sizes);

// Whether the model has every one of these names, in any of its values; the error says which it has. kLoopTurns passes:
// which loops are open is known only after inference. So are the open sizes of ONNX models, which are not found here.
Status check_dims(const Model& model, const DimSizes& sizes);

// Gives named dimensions their sizes and says what they are: the user's, else the file's, else 1. What is written as an
// expression of names (ONNX, PyTorch) follows them. Unknown sizes inside an ONNX model that no name explains are left
// to the rules that infer shapes; elsewhere they count as 1 if they have a name. Names that the model does not have are
// not looked at.
std::vector<NamedDim> bind_dims(Model& model, const DimSizes& sizes);

// Product of the dimensions; nothing if one is unknown or the product is beyond any tensor.
std::optional<std::int64_t> num_elements(const Shape& shape);

// Refuses the first value whose sizes are all known and together beyond any tensor, by its name and that of the node
// that makes it.
Status check_sizes(const Model& model);

// 0 if its sizes are not known; without a type as 32-bit numbers.
Bytes value_bytes(const Value& value);

Shape shape_of(std::initializer_list<std::int64_t> sizes);

}  // namespace berth
