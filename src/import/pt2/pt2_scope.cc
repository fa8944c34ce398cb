// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_scope.h"

#include <algorithm>
#include <limits>

#include "import/pt2/pt2_text.h"
#include "import/pt2/pt2_union.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 2> kTensorFields{"dtype", "sizes"};

std::optional<Attribute> read_hint(const JsonValue& expression) {
  const auto hint = expression.find("hint");
  if (!hint || !hint->is_object()) return std::nullopt;
  const auto known = read_pt2_union(*hint);
  if (!known) return std::nullopt;
  if (known->kind == "as_bool") {
    const auto truth = known->value.boolean();
    return truth ? std::optional<Attribute>(std::int64_t{*truth}) : std::nullopt;
  }
  if (known->kind == "as_int") {
    const auto number = known->value.integer(std::numeric_limits<std::int64_t>::min());
    return number ? std::optional<Attribute>(*number) : std::nullopt;
  }
  const auto number = known->value.number();
  return number ? std::optional<Attribute>(*number) : std::nullopt;
}

Result<Dim> read_dim(const JsonValue& json) {
  BERTH_TRY(const Pt2Union size, read_pt2_union(json));
  if (size.kind == "as_int") {
    BERTH_TRY(const std::int64_t number, size.value.integer());
    return Dim{number};
  }
  if (size.kind != "as_expr") return json.expected("\"as_int\" or \"as_expr\"");
  BERTH_TRY(const std::string_view expression, pt2_string(size.value, "expr_str"));
  Dim dim{-1, readable_symbol(expression)};
  const auto hint = read_hint(size.value);
  if (hint && std::holds_alternative<std::int64_t>(*hint)) dim.size = std::max<std::int64_t>(std::get<0>(*hint), -1);
  return dim;
}

Result<Value> read_tensor(const JsonValue& json) {
  Value value;
  const auto read_field = [&](std::size_t field, const JsonValue& member) -> Status {
    if (field == 0) {
      BERTH_TRY(const std::int64_t scalar_type, member.integer());
      value.dtype = pt2_dtype(scalar_type);
      return {};
    }
    value.shape.emplace();
    return member.for_each([&](const JsonValue& size) -> Status {
      BERTH_TRY(Dim dim, read_dim(size));
      value.shape->push_back(std::move(dim));
      return {};
    });
  };
  BERTH_RETURN_IF_ERROR(json.fields(kTensorFields, UnknownFields::kIgnore, read_field));
  return value;
}

}  // namespace

std::optional<DType> pt2_dtype(std::int64_t scalar_type) {
  constexpr std::array kFirst{DType::kU8,   DType::kI8,   DType::kI16, DType::kI32, DType::kI64,
                              DType::kF16,  DType::kF32,  DType::kF64, DType::kF32, DType::kC64,
                              DType::kC128, DType::kBool, DType::kBF16};
  constexpr std::int64_t kUint16 = 28, kFirstFloat8 = 29, kLastFloat8 = 32;
  if (scalar_type >= 1 && scalar_type <= std::ssize(kFirst)) return kFirst[static_cast<std::size_t>(scalar_type - 1)];
  if (scalar_type == kUint16) return DType::kI16;
  if (scalar_type >= kFirstFloat8 && scalar_type <= kLastFloat8) return DType::kF8;
  return std::nullopt;
}

Status Pt2Scope::read_tensors(const JsonValue& tensor_values) {
  return tensor_values.for_each_member([&](std::string_view name, const JsonValue& json) -> Status {
    BERTH_TRY(Value value, read_tensor(json));
    value.name = name;
    const bool is_new = entries_.emplace(name, Entry{.value = std::move(value)}).second;
    return is_new ? Status() : json.error("this name is there twice");
  });
}

Status Pt2Scope::read_symbols(const JsonValue& values) {
  return values.for_each_member([&](std::string_view name, const JsonValue& json) -> Status {
    BERTH_TRY(const Pt2Union symbol, read_pt2_union(json));
    if (symbol.kind != "as_expr") return {};  // numbers stand where they are used
    if (auto hint = read_hint(symbol.value)) symbols_.emplace(name, *std::move(hint));
    return {};
  });
}

Status Pt2Scope::read_tables(const JsonValue& graph) {
  BERTH_TRY(const JsonValue tensors, pt2_member(graph, "tensor_values"));
  BERTH_RETURN_IF_ERROR(read_tensors(tensors));
  for (const std::string_view table : kPt2SymbolTables) {
    const auto symbols = graph.find(table);
    if (symbols) BERTH_RETURN_IF_ERROR(read_symbols(*symbols));
  }
  return {};
}

Result<Pt2Scope::Entry*> Pt2Scope::free_entry(std::string_view name) {
  auto found = entries_.find(name);
  if (found == entries_.end()) found = entries_.emplace(name, Entry{.value = {.name = std::string(name)}}).first;
  Entry& entry = found->second;
  if (entry.index != kNoValue || entry.leaf) return bad_input("the value {} is there twice", in_quotes(name));
  return &entry;
}

Status Pt2Scope::declare(std::string_view name, Leaf leaf) {
  BERTH_TRY(Entry* const entry, free_entry(name));
  entry->leaf = std::move(leaf);
  return {};
}

Result<ValueIndex> Pt2Scope::define(Model& model, std::string_view name, std::optional<DType> scalar) {
  BERTH_TRY(Entry* const entry, free_entry(name));
  if (scalar) {
    entry->value.dtype = scalar;
    entry->value.shape.emplace();
  }
  entry->index = model.add(std::move(entry->value));
  return entry->index;
}

Status Pt2Scope::bind(std::string_view name, ValueIndex value) {
  BERTH_TRY(Entry* const entry, free_entry(name));
  entry->index = value;
  return {};
}

std::optional<ValueIndex> Pt2Scope::find(Model& model, std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  Entry& entry = found->second;
  if (entry.index == kNoValue && entry.leaf) {
    entry.index = model.add(std::move(entry.value));
    entry.leaf->value = entry.index;
    model.leaves.push_back(*std::move(entry.leaf));
  }
  return entry.index != kNoValue ? std::optional(entry.index) : std::nullopt;
}

std::optional<Attribute> Pt2Scope::symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found != symbols_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace berth
