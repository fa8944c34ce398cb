// SPDX-License-Identifier: Apache-2.0
// One ONNX node with its inputs and outputs as text, so that tests of rules fit on a line:
//
//   EXPECT_EQ(infer("MatMul", {"f32[2,3,4]", "f32[4,5]"}), "f32[2,3,5]");
//
// "i64[2]={3,-1}" has contents, "f32[?,4]" an unknown size, "f32" no known rank, "" is an input that is left out.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/model.h"
#include "model/shapes/onnx/shapes.h"

namespace berth {

using Attributes = std::vector<std::pair<std::string, Attribute>>;

inline std::pair<std::string, Attribute> integer(std::string name, std::int64_t value) {
  return {std::move(name), Attribute(value)};
}
inline std::pair<std::string, Attribute> list(std::string name, std::vector<std::int64_t> values) {
  return {std::move(name), Attribute(std::move(values))};
}
inline std::pair<std::string, Attribute> words(std::string name, std::string value) {
  return {std::move(name), Attribute(std::move(value))};
}

inline std::int64_t whole_number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

inline Value value_from(std::string_view text) {
  Value value;
  const std::size_t open = text.find('['), close = text.find(']');
  value.dtype = dtype_from_name(text.substr(0, open));
  if (open == std::string_view::npos) return value;
  value.shape.emplace();
  const std::string_view dims = text.substr(open + 1, close - open - 1);
  for (const std::string_view dim : dims.empty() ? std::vector<std::string_view>() : split(dims, ','))
    value.shape->push_back({dim == "?" ? -1 : whole_number(dim), {}});
  const std::size_t braces = text.find('{');
  if (braces == std::string_view::npos) return value;
  const std::string_view numbers = text.substr(braces + 1, text.size() - braces - 2);
  value.contents.emplace();
  for (const std::string_view number : numbers.empty() ? std::vector<std::string_view>() : split(numbers, ','))
    value.contents->push_back(whole_number(number));
  return value;
}

inline std::string text_of(const Value& value) {
  std::string text(value.dtype ? name_of(*value.dtype) : "?");
  if (!value.shape) return text;
  std::vector<std::string> dims;
  for (const Dim& dim : *value.shape) dims.push_back(dim.known() ? std::to_string(dim.size) : "?");
  text += fmt::format("[{}]", fmt::join(dims, ","));
  if (value.contents) text += fmt::format("={{{}}}", fmt::join(*value.contents, ","));
  return text;
}

// The outputs of one node, with "; " between them.
inline std::string infer(const std::string& type, const std::vector<std::string_view>& inputs,
                         const Attributes& attributes = {}, std::size_t outputs = 1) {
  Model model;
  Node node;
  node.type = type;
  node.attributes = attributes;
  for (const std::string_view input : inputs)
    node.inputs.push_back(input.empty() ? kNoValue : model.add(value_from(input)));
  for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back(model.add({}));
  model.nodes.push_back(node);
  infer_onnx_shapes(model);
  std::vector<std::string> texts;
  for (const ValueIndex output : node.outputs) texts.push_back(text_of(model.values[output]));
  return join(texts, "; ");
}

}  // namespace berth
