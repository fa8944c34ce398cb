// SPDX-License-Identifier: Apache-2.0
// Which nodes of an ONNX file the ops of its graph come from. Names do not tell: nodes may have none, or equal ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/onnx/onnx_source.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

inline constexpr std::uint32_t kNoOnnxNode = 0xffffffffU;

struct OnnxOps {
  Model model;                         // as lower() has it before it makes the graph: folded, with types and shapes
  std::vector<std::uint32_t> node_of;  // per op: place among the nodes of the file; kNoOnnxNode for weights and inputs.
                                       // The ops of a function have that of its call
};

// `source` is of these bytes; `num_ops` of the graph that import_model() makes of the file with these sizes.
Result<OnnxOps> find_onnx_ops(std::string_view bytes, const OnnxSource& source, const DimSizes& dims,
                              std::size_t num_ops);

}  // namespace berth
