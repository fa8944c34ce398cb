// SPDX-License-Identifier: Apache-2.0
// Local functions of an ONNX file (FunctionProto): what a call of them is written out as.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "import/onnx/onnx_node.h"

namespace berth {

struct OnnxFunction {
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<OnnxNode> nodes = {};
  std::vector<OnnxAttribute> defaults = {};  // of attributes that a call leaves out
};

// By type and overload: function_key().
using OnnxFunctions = std::unordered_map<std::string, OnnxFunction>;

// A call that is being written out.
struct OnnxCall {
  const OnnxNode& caller;
  const OnnxFunction& function;
};

std::string function_key(std::string_view type, std::string_view overload);

Status read_onnx_function(std::string_view bytes, OnnxFunctions& functions);

// Attributes inside a function that stand for one of the caller's get its value, or the function's default; those that
// neither gives are dropped.
void resolve_attributes(OnnxNode& node, const OnnxCall& call);

// Bytes that a node of the function takes once it is written out for the call, roughly; names inside begin with
// `prefix` characters of the caller's. Calls may multiply it.
std::size_t size_of_copy(const OnnxNode& node, const OnnxCall& call, std::size_t prefix);

}  // namespace berth
