// SPDX-License-Identifier: Apache-2.0
// Types as ONNX has them, which are finer than ours: 28 types of elements, sequences, optionals and maps; and what the
// types of a node's outputs are by those of its inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/onnx/onnx_node.h"

namespace berth {

// A TypeProto without shapes, as bytes, so that equal types are equal texts. Empty: not known.
using OnnxType = std::string;

inline constexpr std::uint64_t kOnnxFloat = 1, kOnnxInt64 = 7, kOnnxString = 8, kOnnxBool = 9;  // TensorProto.DataType

OnnxType tensor_type(std::uint64_t element);  // not known for 0
OnnxType sequence_type(const OnnxType& element);
// What sequences hold; not known for others.
OnnxType element_of_sequence(const OnnxType& type);
// What a TypeProto states, its shapes left out; not known if an element's type is missing.
OnnxType without_shapes(std::string_view type);

// Types of the outputs of a node without subgraphs that calls no function; not known for types of nodes that are not in
// the table. `inputs` are those of the node, not known where one is left out.
std::vector<OnnxType> output_types(const OnnxNode& node, std::span<const OnnxType> inputs);

}  // namespace berth
