// SPDX-License-Identifier: Apache-2.0
// Arguments of a capture ({"op": 3}, {"list": [...]}, {"f": "0.1"}, ...) as values for a boxed call of an operator.
#pragma once

#include <ATen/core/function_schema.h>

#include <optional>

#include "exec/program/program.h"
#include "files/json/json_reader.h"
#include "graph/graph.h"

namespace berth::exec {

// Fills arguments, tensors and devices of the call for an operator with this schema. Missing ones take their default.
Status read_arguments(const std::optional<JsonValue>& args, const std::optional<JsonValue>& kwargs,
                      const c10::FunctionSchema& schema, const Graph& graph, Call& call);

// The tensor that {"op": 3} stands for: its id, or -1 for an op without outputs.
Result<std::int64_t> tensor_named(const JsonValue& op, const Graph& graph);

}  // namespace berth::exec
