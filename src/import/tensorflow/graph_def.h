// SPDX-License-Identifier: Apache-2.0
// GraphDef as it stands in the file. Everything points into the file's bytes, which must outlive it; attributes are
// read when they are asked for (attributes.h), so that no weights are touched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::tensorflow {

using RawAttributes = std::vector<std::pair<std::string_view, std::string_view>>;  // name, AttrValue

struct NodeDef {
  std::string_view name, op, device;
  std::vector<std::string_view> inputs;  // "node", "node:1", "^node"; in functions "argument", "node:output:0", "^node"
  RawAttributes attributes;
};

struct FunctionDef {
  std::string_view name;
  std::vector<std::string_view> inputs, outputs;  // names of its arguments and results
  std::vector<NodeDef> nodes;
  std::vector<std::pair<std::string_view, std::string_view>> returns;  // result, what it is
  std::vector<std::string_view> control_returns;                       // nodes that a call waits for
  bool takes_lists = false;                                            // an argument or result stands for several
};

struct GraphDef {
  std::vector<NodeDef> nodes;
  std::vector<FunctionDef> functions;
  std::vector<std::string_view> outputs;  // tensors that the file says are wanted; empty if it says nothing
};

// Choice of a meta graph and of its outputs, see TensorFlowOptions.
struct GraphChoice {
  std::string tag, signature;
};

// The graph in a GraphDef, MetaGraphDef or SavedModel. Checks the bytes and the names, not the inputs.
Result<GraphDef> read_graph_def(std::string_view bytes, const GraphChoice& choice);

// A file in text format as bytes for read_graph_def().
Result<std::string> graph_text_to_wire(std::string_view text);

// Whether an input is a control input, and the name it is for.
inline bool is_control(std::string_view input) { return input.starts_with('^'); }

// An input as it is written: "node", "node:1", in functions "node:output:1" or "argument".
struct InputText {
  std::string_view node, output;
  std::uint32_t index = 0;
};
inline constexpr std::uint32_t kMaxOutputIndex = 65'535;

// None if it is malformed. Not for control inputs.
std::optional<InputText> parse_input(std::string_view text);

// The data inputs of a node before its control inputs; TensorFlow wants them in this order, and we count on it.
std::span<const std::string_view> data_inputs(const NodeDef& node);

}  // namespace berth::tensorflow
