// SPDX-License-Identifier: Apache-2.0
// NodeProto and AttributeProto of ONNX, with the names of values as the file has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace berth {

struct OnnxAttribute {
  std::string name = {};
  std::optional<Attribute> value = {};        // none: a kind that no cost depends on
  std::optional<Value> tensor = {};           // of a Constant
  std::uint64_t element = 0;                  // TensorProto.DataType of the tensor, which our types are coarser than
  std::string_view type = {};                 // a TypeProto
  std::vector<std::string_view> graphs = {};  // subgraphs, as they stand in the file
  std::string from_caller = {};               // inside a function: the caller's attribute that stands here
};

struct OnnxNode {
  std::string name = {}, type = {};  // the type with its domain, unless that is ONNX's own
  std::string overload = {};         // which of several functions of that type
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<OnnxAttribute> attributes = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

// `bytes` must outlive the node: its subgraphs point there. ATen's operators inside ONNX (org.pytorch.aten.ATen) have
// the type that PyTorch gives them: "aten.embedding".
Result<OnnxNode> read_onnx_node(std::string_view bytes);
Result<OnnxAttribute> read_onnx_attribute(std::string_view bytes);
Result<std::pair<std::string, std::string>> read_onnx_entry(std::string_view bytes);  // StringStringEntryProto

// For messages and names: its name, else that of its first output, else its type.
const std::string& label_of(const OnnxNode& node);

// What names inside its subgraphs or functions begin with: "around/node/". Cut at the front if it grows too long: names
// only have to be told apart.
std::string prefix_inside(const OnnxNode& node, const std::string& around);

// The innermost module that its exporter notes, before the op itself: "layer1.2" of the namespace
// ": ResNet/layer1: Sequential/layer1.2: Bottleneck/conv2d_9: aten.conv2d.default".
std::string module_of(const OnnxNode& node);

// "ai.onnx" and "" are the same domain; another one stands before the type: "com.microsoft.FusedMatMul".
std::string onnx_type(std::string_view domain, std::string_view type);

// What a Constant node holds; its shape and type where the file says them. Nothing if the node is not one.
std::optional<Value> value_of_constant(const OnnxNode& node);

}  // namespace berth
