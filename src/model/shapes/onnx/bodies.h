// SPDX-License-Identifier: Apache-2.0
// Loop and Scan of ONNX. A runtime runs such a node as one, on one device, so it stays one node; what one turn of its
// body does is inferred here and multiplied by the number of turns.
//
// - Turns of a Loop: its trip count, if that is a constant; it may end earlier. Of a Scan: the length of what it scans.
// If
//   neither is known, the body counts once, and that is said.
// - What a loop carries from turn to turn is taken to keep its shape.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/shapes/rules.h"
#include "model/sizes.h"

namespace berth {

struct LoopWork {
  double flops = 0.0, bytes = 0.0;  // of all turns; bytes are those that its nodes read and write
  std::string overflow = {};        // what is beyond all sizes in its body, for an error
  std::int64_t turns = 1;
  bool turns_known = true;  // of this loop and of all inside it
  Outputs outputs = {};
  std::map<std::string, std::string> open_branches = {};  // in its body
  std::vector<OpenSize> open_sizes = {};                  // in its body
};

bool is_loop(const Node& node);

// Of a node for which is_loop() holds; `symbols` are the sizes that names have in the model around it.
// `given` as of infer_onnx_shapes().
LoopWork infer_loop(const Model& model, const Node& node, const DimSizes& symbols, const DimSizes& given);

}  // namespace berth
