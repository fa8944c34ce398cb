// SPDX-License-Identifier: Apache-2.0
// Which nodes call functions, and which functions there are.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "import/tensorflow/attributes.h"
#include "import/tensorflow/graph_def.h"

namespace berth::tensorflow {

struct Function {
  const FunctionDef* def = nullptr;
  std::unordered_map<std::string_view, std::size_t> inputs = {}, outputs = {};  // positions by name
  std::vector<std::string_view> returns = {};  // what every output is, as a node's input
};

using Library = std::unordered_map<std::string_view, Function>;

Result<Library> make_library(const GraphDef& graph);

struct Call {
  const Function* function = nullptr;
  RawAttributes attributes = {};  // that its nodes' placeholders stand for
  std::size_t first_input = 0;    // of the calling node that is an argument
  bool in_loop = false;
  bool by_name = false;    // the node's type is the function: its outputs have the function's names
  bool is_branch = false;  // chosen among others
};

// The calls that a node stands for: none, one, or for a While its body and then its condition. An error for functions
// that are missing, or used in a way that cannot be inlined.
Result<std::vector<Call>> calls_of(const NodeDef& node, const Bindings* bindings, const Library& library);

}  // namespace berth::tensorflow
