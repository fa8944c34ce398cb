// SPDX-License-Identifier: Apache-2.0
// Small TensorFlow graphs in text, and models as text to compare them with.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "import/tensorflow/tensorflow_graph.h"
#include "model/shapes/tensorflow/shapes.h"

namespace berth::tensorflow {

// node("y", "MatMul", "x w:1 ^z", "T:f32 transpose_b:true", "/device:GPU:0"): a node in text format. Attributes are
// "name:value" with values f32 | i32 | resource (types), true | false, [1,2] (a shape, ? is unknown), {1,2} (a list of
// numbers), 'text', $f (a function), loc (a list of one word: _class) or whole numbers.
inline std::string attribute_text(std::string_view value) {
  const auto type = [](std::string_view name) { return fmt::format("type: {}", name); };
  const auto dims = [](std::string_view list) {
    std::string text;
    if (list.size() <= 2) return text;
    for (const std::string_view size : split(list.substr(1, list.size() - 2), ',')) {
      text += fmt::format(" dim {{ size: {} }}", size == "?" ? "-1" : size);
    }
    return text;
  };
  if (value == "f32") return type("DT_FLOAT");
  if (value == "i32") return type("DT_INT32");
  if (value == "resource") return type("DT_RESOURCE");
  if (value == "true" || value == "false") return fmt::format("b: {}", value);
  if (value.starts_with('[')) return fmt::format("shape {{{} }}", dims(value));
  if (value.starts_with('{')) return fmt::format("list {{ i: [{}] }}", value.substr(1, value.size() - 2));
  if (value.starts_with('\'')) return fmt::format("s: {}", value);
  if (value.starts_with('$')) return fmt::format("func {{ name: '{}' }}", value.substr(1));
  if (value.starts_with('@')) return fmt::format("list {{ s: 'loc:{}' }}", value);
  return fmt::format("i: {}", value);
}

inline std::string node_body(std::string_view name, std::string_view op, std::string_view inputs = "",
                             std::string_view attributes = "", std::string_view device = "") {
  std::string text = fmt::format("name: '{}' op: '{}' device: '{}'", name, op, device);
  for (const std::string_view input : split(inputs, ' ')) {
    if (!input.empty()) text += fmt::format(" input: '{}'", input);
  }
  for (const std::string_view attribute : split(attributes, ' ')) {
    if (attribute.empty()) continue;
    const std::size_t colon = attribute.find(':');
    text += fmt::format(" attr {{ key: '{}' value {{ {} }} }}", attribute.substr(0, colon),
                        attribute_text(attribute.substr(colon + 1)));
  }
  return text;
}

inline std::string node(std::string_view name, std::string_view op, std::string_view inputs = "",
                        std::string_view attributes = "", std::string_view device = "") {
  return fmt::format("node {{ {} }}\n", node_body(name, op, inputs, attributes, device));
}

// A constant of whole numbers; without a number a scalar of floats.
inline std::string constant(std::string_view name, std::string_view numbers = "") {
  const std::size_t count = numbers.empty() ? 0 : split(numbers, ',').size();
  const std::string value =
      count == 0 ? std::string("dtype: DT_FLOAT tensor_shape {}")
                 : fmt::format("dtype: DT_INT32 tensor_shape {{ dim {{ size: {} }} }} int_val: [{}]", count, numbers);
  return fmt::format("node {{ name: '{}' op: 'Const' attr {{ key: 'value' value {{ tensor {{ {} }} }} }} }}\n", name,
                     value);
}
inline std::string placeholder(std::string_view name, std::string_view shape) {
  return node(name, "Placeholder", "", fmt::format("dtype:f32 shape:{}", shape));
}

// A function in text format.
struct FunctionText {
  std::string_view name, inputs, outputs;  // "a b", "y=neg:y:0 z=b"
  std::string nodes;                       // body_node()s
  std::string_view control = "";           // nodes that a call waits for
};

inline std::string body_node(std::string_view name, std::string_view op, std::string_view inputs = "",
                             std::string_view attributes = "", std::string_view device = "") {
  return fmt::format("node_def {{ {} }}\n", node_body(name, op, inputs, attributes, device));
}

inline std::string function(const FunctionText& body) {
  std::string signature = fmt::format("name: '{}'", body.name), rest;
  for (const std::string_view input : split(body.inputs, ' ')) {
    if (!input.empty()) signature += fmt::format(" input_arg {{ name: '{}' type: DT_FLOAT }}", input);
  }
  for (const std::string_view output : split(body.outputs, ' ')) {
    if (output.empty()) continue;
    const std::size_t equals = output.find('=');
    signature += fmt::format(" output_arg {{ name: '{}' }}", output.substr(0, equals));
    rest += fmt::format(" ret {{ key: '{}' value: '{}' }}", output.substr(0, equals), output.substr(equals + 1));
  }
  for (const std::string_view node : split(body.control, ' ')) {
    if (!node.empty()) rest += fmt::format(" control_ret {{ key: '{}' value: '{}' }}", node, node);
  }
  return fmt::format("library {{ function {{ signature {{ {} }} {}{} }} }}\n", signature, body.nodes, rest);
}

inline std::string shape_text(const Value& value) {
  if (!value.shape) return "[...]";
  std::string text;
  for (const Dim& dim : *value.shape) {
    if (!text.empty()) text += ",";
    text += dim.known() ? fmt::format("{}", dim.size) : dim.symbol.empty() ? std::string("?") : dim.symbol;
  }
  return fmt::format("[{}]", text);
}

// A line per leaf and node: "role name type[shape]", "name type(inputs) shapes ^control =group @device".
inline std::string describe(const Model& model) {
  std::string text;
  for (const Leaf& leaf : model.leaves) {
    const Value& value = model.values[leaf.value];
    text += fmt::format("{} {} {}{}{}\n", name_of(leaf.role), value.name, value.dtype ? name_of(*value.dtype) : "?",
                        shape_text(value), leaf.device.empty() ? "" : fmt::format(" @{}", leaf.device));
  }
  for (const Node& node : model.nodes) {
    std::string inputs, outputs, rest;
    for (const ValueIndex value : node.inputs) {
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", model.values[value].name);
    }
    for (const ValueIndex value : node.outputs) outputs += fmt::format(" {}", shape_text(model.values[value]));
    for (const std::uint32_t before : node.control) rest += fmt::format(" ^{}", model.nodes[before].name);
    if (!node.colocate.empty()) rest += fmt::format(" ={}", node.colocate);
    if (!node.device.empty()) rest += fmt::format(" @{}", node.device);
    text += fmt::format("{} {}({}){}{}\n", node.name, node.type, inputs, outputs, rest);
  }
  return text;
}

inline std::string outputs_of(const Model& model) {
  std::string text;
  for (const ValueIndex value : model.outputs) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", model.values[value].name);
  }
  return text;
}

// Shapes included: names of sizes go as far as the rules carry them.
inline Result<Model> with_shapes(Result<Model> model, const DimSizes& sizes = {}) {
  if (model) BERTH_RETURN_IF_ERROR(infer_tensorflow_shapes(*model, sizes));
  return model;
}

inline Model read_text(std::string_view text, const TensorFlowOptions& options = {}, TensorFlowReport* report = nullptr,
                       const DimSizes& sizes = {}) {
  auto model = with_shapes(read_tensorflow_graph_text(text, "toy", options, report), sizes);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *std::move(model) : Model();
}

inline std::string error_of(std::string_view text, const TensorFlowOptions& options = {}) {
  const auto model = with_shapes(read_tensorflow_graph_text(text, "toy", options));
  return model ? "fine" : model.error().message;
}

// Of what nodes make.
inline std::size_t count_unknown_shapes(const Model& model) {
  std::size_t unknown = 0;
  for (const Node& node : model.nodes) {
    for (const ValueIndex value : node.outputs) unknown += model.values[value].shape ? 0 : 1;
  }
  return unknown;
}

}  // namespace berth::tensorflow
