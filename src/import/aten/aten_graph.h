// SPDX-License-Identifier: Apache-2.0
// aten-graph/1: PyTorch graphs captured at the level of ATen calls, with measured times. What becomes of them here:
//
// - `parameter`, `buffer`, `input`, `constant` are roles, and `get_attr` is a constant; ops with `view: true` and
//   `getitem` are views; the rest computes.
// - Inputs are the ops in `args`, then `kwargs`, in the order of the file, out of lists of any depth.
// - `getitem` reads the output it picks. Ops list only the outputs that exist, so an output mask shifts the numbers;
// the
//   pick must have the shape that the getitem states. A getitem of an output that does not exist is an empty constant.
// - `sgd_update` reads parameter and gradient and writes the parameter that `updates` names.
// - Measured times count for ops that compute, under the device model that `measured_on` describes, if we know it.
// - Ops that read a small part of an input, or only its shape, state so in bytes_touched (embedding, gather, loss ...).
#pragma once

#include <string_view>

#include "base/result.h"
#include "files/json/json_reader.h"
#include "graph/graph.h"

namespace berth {

inline constexpr std::string_view kAtenGraphFormat = "aten-graph/1";

// Takes the document, whose format has been checked, and frees its text before the graph is built. Members that are not
// known are ignored: the format belongs to the capture.
Result<Graph> read_aten_graph(JsonDocument document);

}  // namespace berth
