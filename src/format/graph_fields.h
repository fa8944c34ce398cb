// SPDX-License-Identifier: Apache-2.0
// Pieces that the JSON graph formats share.
#pragma once

#include <vector>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/builder.h"

namespace berth {

// Index of an op. Whether there is such an op is for GraphBuilder to say.
Result<OpId> read_op_id(const JsonValue& value);
// [op index, output index]
Result<OutputRef> read_output_ref(const JsonValue& value);
// [{"dtype": "f32", "shape": [64, 32]}, ...]; `tensors` is overwritten, keeping its memory.
Status read_tensors(const JsonValue& value, std::vector<TensorSpec>& tensors);

}  // namespace berth
