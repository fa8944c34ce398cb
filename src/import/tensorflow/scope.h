// SPDX-License-Identifier: Apache-2.0
// Where names of a file mean something: the graph itself, or one inlined call of a function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/tensorflow/calls.h"

namespace berth::tensorflow {

struct Scope {
  static constexpr std::uint32_t kNoFlatNode = 0xffffffffU;  // it is a call, or left out

  std::span<const NodeDef> nodes = {};
  std::unordered_map<std::string_view, std::uint32_t> by_name = {};  // position in nodes
  std::vector<std::uint32_t> flat = {};                              // per node: number of the flat node
  std::unordered_map<std::uint32_t, Scope*> callees = {};            // per node that is a call

  // Of a call; the graph itself has none of them.
  Scope* parent = nullptr;
  const NodeDef* caller = nullptr;
  Call call = {};
  const Bindings* bindings = nullptr;
  std::string prefix = {};       // of the names of its nodes
  std::string_view device = {};  // for nodes that have none
  int depth = 0;
  std::uint32_t loop_depth = 0;
  bool in_condition = false;                                 // of a loop
  std::vector<std::uint32_t> starts_after = {};              // flat nodes that the call waits for
  std::optional<std::vector<std::uint32_t>> ends_with = {};  // flat nodes that whoever waits for the call waits for

  [[nodiscard]] bool is_function() const { return caller != nullptr; }
};

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
