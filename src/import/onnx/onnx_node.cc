// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_node.h"

#include <algorithm>
#include <bit>

#include "files/protobuf/wire.h"
#include "graph/builder.h"
#include "import/onnx/onnx_tensor.h"

namespace berth {
namespace {

constexpr std::uint32_t kTensorType = 2;  // field of TensorProto
constexpr std::size_t kLongestPrefix = 256;
constexpr std::size_t kMostNumbers = 4096;  // of one attribute: those that say anything about cost are short

// What an AttributeProto holds, before its type is looked at.
struct RawAttribute {
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::optional<std::int64_t> i;
  std::optional<double> f;
  std::optional<std::string> s;
};

std::optional<Attribute> value_of(RawAttribute raw) {
  if (raw.i) return Attribute(*raw.i);
  if (raw.f) return Attribute(*raw.f);
  if (raw.s) return Attribute(*std::move(raw.s));
  if (!raw.ints.empty()) return Attribute(std::move(raw.ints));
  if (!raw.floats.empty()) return Attribute(std::move(raw.floats));
  if (!raw.strings.empty()) return Attribute(std::move(raw.strings));
  return std::nullopt;
}

// "aten.embedding" for the ATen operator that an attribute names.
void name_aten_operator(OnnxNode& node) {
  if (node.type != "org.pytorch.aten.ATen") return;
  for (const OnnxAttribute& attribute : node.attributes) {
    const auto* name = attribute.value ? std::get_if<std::string>(&*attribute.value) : nullptr;
    if (attribute.name == "operator" && name != nullptr) node.type = fmt::format("aten.{}", *name);
  }
}

Shape row_of(std::size_t length) { return {{static_cast<std::int64_t>(length), {}}}; }

// value_int, value_ints, value_float and so on; texts have no type here.
Value value_of_attribute(const Attribute& attribute) {
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

std::string onnx_type(std::string_view domain, std::string_view type) {
  if (domain.empty() || domain == "ai.onnx") return std::string(type);
  return fmt::format("{}.{}", domain, type);
}

Result<std::pair<std::string, std::string>> read_onnx_entry(std::string_view bytes) {
  std::pair<std::string, std::string> entry;
  WireReader field(bytes);
  while (field.next()) {
    if (field.is(1, WireType::kBytes)) entry.first = field.bytes();
    if (field.is(2, WireType::kBytes)) entry.second = field.bytes();
  }
  if (field.error()) return *field.error();
  return entry;
}

Result<OnnxAttribute> read_onnx_attribute(std::string_view bytes) {
  OnnxAttribute attribute;
  RawAttribute raw;
  WireReader field(bytes);
  while (field.next()) {
    const bool is_short = field.type() != WireType::kBytes || field.bytes().size() <= 8 * kMostNumbers;
    if (field.is(1, WireType::kBytes)) attribute.name = field.bytes();
    if (field.is(2, WireType::kFixed32)) raw.f = static_cast<double>(std::bit_cast<float>(field.fixed32()));
    if (field.is(3, WireType::kVarint)) raw.i = static_cast<std::int64_t>(field.varint());
    if (field.is(4, WireType::kBytes) && is_short) raw.s = std::string(field.bytes());
    if (field.is(5, WireType::kBytes)) {
      BERTH_TRY(attribute.tensor, read_onnx_tensor(field.bytes()));
      attribute.element = last_number(field.bytes(), kTensorType);
    }
    if (field.is(6, WireType::kBytes) || field.is(11, WireType::kBytes)) attribute.graphs.push_back(field.bytes());
    if (field.field() == 7 && is_short && raw.floats.size() < kMostNumbers && !append_floats(field, raw.floats))
      return bad_input("attribute '{}' is damaged", attribute.name);
    if (field.field() == 8 && is_short && raw.ints.size() < kMostNumbers && !append_integers(field, raw.ints))
      return bad_input("attribute '{}' is damaged", attribute.name);
    if (field.is(9, WireType::kBytes) && raw.strings.size() < kMostNumbers) raw.strings.emplace_back(field.bytes());
    if (field.is(14, WireType::kBytes)) attribute.type = field.bytes();
    if (field.is(21, WireType::kBytes)) attribute.from_caller = field.bytes();
    if (field.is(22, WireType::kBytes)) {
      BERTH_TRY(attribute.tensor, read_onnx_sparse_tensor(field.bytes()));
      attribute.element = last_number(first_bytes(field.bytes(), 1), kTensorType);
    }
  }
  if (field.error()) return *field.error();
  attribute.value = value_of(std::move(raw));
  return attribute;
}

Result<OnnxNode> read_onnx_node(std::string_view bytes) {
  OnnxNode node;
  std::string_view type, domain;
  WireReader field(bytes);
  while (field.next()) {
    if (field.type() != WireType::kBytes) continue;
    switch (field.field()) {
      case 1:
        node.inputs.emplace_back(field.bytes());
        break;
      case 2:
        node.outputs.emplace_back(field.bytes());
        break;
      case 3:
        node.name = field.bytes();
        break;
      case 4:
        type = field.bytes();
        break;
      case 5: {
        auto attribute = read_onnx_attribute(field.bytes());
        if (!attribute) return within(fmt::format("node '{}'", node.name), attribute.error());
        node.attributes.push_back(*std::move(attribute));
        break;
      }
      case 7:
        domain = field.bytes();
        break;
      case 8:
        node.overload = field.bytes();
        break;
      case 9: {
        BERTH_TRY(auto entry, read_onnx_entry(field.bytes()));
        node.metadata.push_back(std::move(entry));
        break;
      }
      default:
        break;
    }
  }
  if (field.error()) return *field.error();
  if (type.empty()) return bad_input("node '{}' has no type", node.name);
  node.type = onnx_type(domain, type);
  name_aten_operator(node);
  return node;
}

const std::string& label_of(const OnnxNode& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return output;
  }
  return node.type;
}

std::string prefix_inside(const OnnxNode& node, const std::string& around) {
  std::string inside = fmt::format("{}{}/", around, label_of(node));
  if (inside.size() <= kLongestPrefix) return inside;
  inside.erase(0, inside.size() - kLongestPrefix);
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  inside.erase(inside.begin(), std::ranges::find_if(inside, starts_character));
  return inside;
}

std::string module_of(const OnnxNode& node) {
  const auto noted = std::ranges::find(node.metadata, "namespace", &std::pair<std::string, std::string>::first);
  if (noted == node.metadata.end()) return {};
  std::string_view text = noted->second;
  const std::size_t op = text.rfind('/');
  if (op == std::string_view::npos) return {};
  text = text.substr(0, op);
  const std::size_t begin = text.rfind('/');
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  text = text.substr(0, text.find(':'));
  return text.size() <= kMaxNameLength ? std::string(text) : std::string();
}

std::optional<Value> value_of_constant(const OnnxNode& node) {
  if (node.type != "Constant" || node.outputs.size() != 1) return std::nullopt;
  for (const OnnxAttribute& attribute : node.attributes) {
    if (attribute.tensor) return attribute.tensor;
    if (attribute.value && attribute.name.starts_with("value")) return value_of_attribute(*attribute.value);
  }
  return std::nullopt;
}

}  // namespace berth
