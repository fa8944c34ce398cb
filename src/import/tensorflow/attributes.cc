// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/attributes.h"

#include <algorithm>
#include <bit>

#include "files/protobuf/wire.h"
#include "import/tensorflow/schema.h"
#include "model/shapes/tensorflow/types.h"

namespace berth::tensorflow {
namespace {

constexpr std::size_t kLongestText = 256, kMostListItems = 4096;

// A value holds one field, or a list of a few. More are not looked at: inlining asks for the same value again and
// again.
class FewFields : public WireReader {
 public:
  using WireReader::WireReader;
  bool next() { return left_-- > 0 && WireReader::next(); }

 private:
  int left_ = 1024;
};

std::optional<std::string_view> find_in(const RawAttributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &RawAttributes::value_type::first);
  if (found == attributes.end()) return std::nullopt;
  return found->second;
}

// The last field of that number and type, as protobuf has it; none if there is no such field.
std::optional<std::string_view> bytes_of(std::string_view value, std::uint32_t number) {
  std::optional<std::string_view> bytes;
  for (FewFields field(value); field.next();) {
    if (field.is(number, WireType::kBytes)) bytes = field.bytes();
  }
  return bytes;
}

std::optional<std::int64_t> varint_of(std::string_view value, std::uint32_t number) {
  std::optional<std::int64_t> result;
  for (FewFields field(value); field.next();) {
    if (field.is(number, WireType::kVarint)) result = static_cast<std::int64_t>(field.varint());
  }
  return result;
}

FunctionName read_function_name(std::string_view bytes) {
  FunctionName function;
  for (FewFields field(bytes); field.next();) {
    if (field.is(CalleeField::kName, WireType::kBytes)) function.name = field.bytes();
    if (field.is(CalleeField::kAttr, WireType::kBytes)) function.attributes.push_back(read_entry(field.bytes()));
  }
  return function;
}

std::vector<std::int64_t> read_integers(std::string_view list, std::uint32_t number) {
  std::vector<std::int64_t> numbers;
  for (FewFields field(list); field.next();) {
    const bool small = field.type() != WireType::kBytes || field.bytes().size() <= kMostListItems;
    if (field.field() == number && small && numbers.size() < kMostListItems) append_integers(field, numbers);
  }
  return numbers;
}

std::string type_word(std::int64_t data_type) {
  const auto dtype = dtype_of(data_type);
  return std::string(dtype ? name_of(*dtype) : kOtherType);
}

std::vector<std::int64_t> sizes_of(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : shape) sizes.push_back(dim.known() ? dim.size : -1);
  return sizes;
}

std::optional<Attribute> list_for_model(std::string_view list) {
  if (auto numbers = read_integers(list, AttrField::kInteger); !numbers.empty()) return Attribute(std::move(numbers));
  std::vector<double> floats;
  std::vector<std::string> words;
  for (FewFields field(list); field.next();) {
    const bool small = field.type() != WireType::kBytes || field.bytes().size() <= kLongestText;
    if (!small || floats.size() + words.size() >= kMostListItems) continue;
    if (field.field() == AttrField::kFloat) append_floats(field, floats);
    if (field.is(AttrField::kString, WireType::kBytes)) words.emplace_back(field.bytes());
  }
  if (!floats.empty()) return Attribute(std::move(floats));
  if (!words.empty()) return Attribute(std::move(words));
  return std::nullopt;
}

std::optional<Attribute> value_for_model(std::string_view value) {
  for (FewFields field(value); field.next();) {
    switch (field.field()) {
      case AttrField::kString:
        if (field.bytes().size() > kLongestText) return std::nullopt;
        return Attribute(std::string(field.bytes()));
      case AttrField::kInteger:
      case AttrField::kBoolean:
        return Attribute(static_cast<std::int64_t>(field.varint()));
      case AttrField::kFloat:
        return Attribute(static_cast<double>(std::bit_cast<float>(field.fixed32())));
      case AttrField::kType:
        return Attribute(type_word(static_cast<std::int64_t>(field.varint())));
      case AttrField::kShape: {
        const auto shape = read_shape(field.bytes());
        if (!shape) return std::nullopt;
        return Attribute(sizes_of(*shape));
      }
      case AttrField::kList:
        return list_for_model(field.bytes());
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

// A placeholder stands for an attribute of the call, which may be a placeholder itself.
std::string_view Attributes::resolve(std::string_view value) const {
  for (const Bindings* bindings = bindings_; bindings != nullptr; bindings = bindings->outer) {
    const auto placeholder = bytes_of(value, AttrField::kPlaceholder);
    if (!placeholder) return value;
    value = find_in(bindings->attributes, *placeholder).value_or(std::string_view());
  }
  return value;
}

std::optional<std::string_view> Attributes::find(std::string_view name) const {
  const auto value = find_in(node_->attributes, name);
  if (!value) return std::nullopt;
  return resolve(*value);
}

std::optional<std::int64_t> Attributes::integer(std::string_view name) const {
  const auto value = find(name);
  if (!value) return std::nullopt;
  return varint_of(*value, AttrField::kInteger);
}

bool Attributes::boolean(std::string_view name) const {
  const auto value = find(name);
  return value && varint_of(*value, AttrField::kBoolean).value_or(0) != 0;
}

std::string_view Attributes::string(std::string_view name) const {
  const auto value = find(name);
  if (!value) return {};
  return bytes_of(*value, AttrField::kString).value_or(std::string_view());
}

std::optional<std::int64_t> Attributes::data_type(std::string_view name) const {
  const auto value = find(name);
  if (!value) return std::nullopt;
  return varint_of(*value, AttrField::kType);
}

std::optional<Shape> Attributes::shape(std::string_view name) const {
  const auto value = find(name);
  const auto bytes = value ? bytes_of(*value, AttrField::kShape) : std::nullopt;
  if (!bytes) return std::nullopt;
  return read_shape(*bytes);
}

std::optional<TensorFacts> Attributes::tensor(std::string_view name) const {
  const auto value = find(name);
  const auto bytes = value ? bytes_of(*value, AttrField::kTensor) : std::nullopt;
  if (!bytes) return std::nullopt;
  return read_tensor(*bytes);
}

std::optional<FunctionName> Attributes::function(std::string_view name) const {
  const auto value = find(name);
  const auto bytes = value ? bytes_of(*value, AttrField::kFunction) : std::nullopt;
  if (!bytes) return std::nullopt;
  return read_function_name(*bytes);
}

std::vector<std::int64_t> Attributes::integers(std::string_view name) const {
  const auto value = find(name);
  const auto list = value ? bytes_of(*value, AttrField::kList) : std::nullopt;
  return list ? read_integers(*list, AttrField::kInteger) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> Attributes::data_types(std::string_view name) const {
  const auto value = find(name);
  const auto list = value ? bytes_of(*value, AttrField::kList) : std::nullopt;
  return list ? read_integers(*list, AttrField::kType) : std::vector<std::int64_t>();
}

std::vector<std::string_view> Attributes::strings(std::string_view name) const {
  std::vector<std::string_view> words;
  const auto value = find(name);
  for (FewFields field(value ? bytes_of(*value, AttrField::kList).value_or("") : ""); field.next();) {
    if (field.is(AttrField::kString, WireType::kBytes)) words.push_back(field.bytes());
  }
  return words;
}

std::vector<std::optional<Shape>> Attributes::shapes(std::string_view name) const {
  std::vector<std::optional<Shape>> shapes;
  const auto value = find(name);
  for (FewFields field(value ? bytes_of(*value, AttrField::kList).value_or("") : ""); field.next();) {
    if (field.is(AttrField::kShape, WireType::kBytes)) shapes.push_back(read_shape(field.bytes()));
  }
  return shapes;
}

std::vector<FunctionName> Attributes::functions(std::string_view name) const {
  std::vector<FunctionName> functions;
  const auto value = find(name);
  for (FewFields field(value ? bytes_of(*value, AttrField::kList).value_or("") : ""); field.next();) {
    if (field.is(ListField::kFunction, WireType::kBytes)) functions.push_back(read_function_name(field.bytes()));
  }
  return functions;
}

std::string_view Attributes::first_function() const {
  for (const auto& [name, value] : node_->attributes) {
    const auto list = bytes_of(value, AttrField::kList);
    if (bytes_of(value, AttrField::kFunction) || (list && bytes_of(*list, ListField::kFunction))) return name;
  }
  return {};
}

std::vector<std::pair<std::string, Attribute>> Attributes::for_model() const {
  std::vector<std::pair<std::string, Attribute>> attributes;
  for (const auto& [name, value] : node_->attributes) {
    if (name.empty() || name.starts_with('_') || name.size() > kLongestText) continue;
    if (auto converted = value_for_model(resolve(value))) attributes.emplace_back(name, *std::move(converted));
  }
  for (const std::string_view list : {"output_types", "component_types", "Tout"}) {
    std::vector<std::string> words;
    for (const std::int64_t type : data_types(list)) words.push_back(type_word(type));
    if (words.empty()) continue;
    attributes.emplace_back(kOutputTypes, std::move(words));
    break;
  }
  return attributes;
}

}  // namespace berth::tensorflow
