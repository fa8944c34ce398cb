// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_constant.h"

#include <algorithm>

namespace berth {
namespace {

Shape row_of(std::size_t length) { return {{static_cast<std::int64_t>(length), {}}}; }

// value_int, value_ints, value_float and so on; texts have no type here.
Value value_of(const Attribute& attribute) {
  Value value;
  value.shape = Shape{};
  if (const auto* whole = std::get_if<std::int64_t>(&attribute)) {
    value.dtype = DType::kI64;
    value.contents = std::vector{*whole};
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
    value.dtype = DType::kI64;
    value.shape = row_of(list->size());
    value.contents = *list;
  } else if (std::holds_alternative<double>(attribute)) {
    value.dtype = DType::kF32;
  } else if (const auto* floats = std::get_if<std::vector<double>>(&attribute)) {
    value.dtype = DType::kF32;
    value.shape = row_of(floats->size());
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
    value.shape = row_of(texts->size());
  }
  return value;
}

}  // namespace

std::optional<Value> value_of_constant(const OnnxNode& node) {
  if (node.type != "Constant" || node.outputs.size() != 1) return std::nullopt;
  for (const OnnxAttribute& attribute : node.attributes) {
    if (attribute.tensor) return attribute.tensor;
    if (attribute.value && attribute.name.starts_with("value")) return value_of(*attribute.value);
  }
  return std::nullopt;
}

}  // namespace berth
