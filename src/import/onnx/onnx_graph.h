// SPDX-License-Identifier: Apache-2.0
// GraphProto of ONNX as a Model: the main graph, and the bodies of If, Loop and Scan, which see the values of the graph
// around them. Calls of local functions are written out on the way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/onnx/onnx_functions.h"
#include "model/model.h"

namespace berth {

// What the graphs of one file share.
struct OnnxFile {
  OnnxFunctions functions = {};
  std::size_t written_out = 0, most_written_out = 0;  // bytes that calls of functions took so far, and may take
};

// What a body may ask of the graph around it.
class OnnxSurroundings {
 public:
  virtual ~OnnxSurroundings() = default;
  // A value that it can see there; nothing if there is none of that name.
  virtual std::optional<ValueIndex> find(const std::string& name) = 0;
  // A weight that is in memory for the whole step, wherever the file has it.
  virtual ValueIndex add_weight(Value value) = 0;
};

struct OnnxGraph {
  Model model = {};
  std::vector<ValueIndex> inputs = {};                           // of a body, in order
  std::vector<std::pair<ValueIndex, ValueIndex>> captured = {};  // value of the body, value around it
};

// Where a graph stands in the file.
struct OnnxPlace {
  OnnxSurroundings* around = nullptr;  // none: it is the main graph
  const OnnxCall* call = nullptr;      // inside a function: the call that is being written out
  std::string prefix = {};             // in front of names
  int depth = 0;                       // of bodies and calls around it
};

Result<OnnxGraph> read_onnx_graph(std::string_view bytes, OnnxFile& file, const OnnxPlace& place);

}  // namespace berth
