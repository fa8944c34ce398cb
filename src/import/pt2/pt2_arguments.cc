// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_arguments.h"

#include <algorithm>
#include <array>
#include <limits>

#include "import/pt2/pt2_text.h"
#include "import/pt2/pt2_union.h"

namespace berth {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr int kDeepestDictionary = 4;  // of dictionaries inside dictionaries

std::optional<DType> symbol_type(std::string_view kind) {
  if (kind.starts_with("as_sym_int")) return DType::kI64;
  if (kind.starts_with("as_sym_float")) return DType::kF64;
  if (kind.starts_with("as_sym_bool")) return DType::kBool;
  return std::nullopt;
}

bool holds_tensors(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kKinds{"as_tensor", "as_tensors", "as_nested_tensors", "as_optional_tensor",
                                                   "as_optional_tensors"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

Status append_tensor(const JsonValue& json, std::vector<Pt2Slot>& slots) {
  BERTH_TRY(const std::string_view name, pt2_string(json, "name"));
  slots.push_back({.name = name});
  return {};
}

Status append_optional_tensor(const JsonValue& json, std::vector<Pt2Slot>& slots) {
  BERTH_TRY(const Pt2Union tensor, read_pt2_union(json));
  if (tensor.kind == "as_tensor") return append_tensor(tensor.value, slots);
  slots.emplace_back();
  return {};
}

Status append_symbol(const JsonValue& json, DType type, std::vector<Pt2Slot>& slots) {
  BERTH_TRY(const Pt2Union symbol, read_pt2_union(json));
  Pt2Slot slot;
  if (symbol.kind == "as_name") {
    BERTH_TRY(slot.name, symbol.value.string());
    slot.symbol = type;
  }
  slots.push_back(slot);
  return {};
}

// A double; torch writes infinities as strings.
Result<double> read_double(const JsonValue& json) {
  const auto text = json.string();
  if (text) return non_finite_number(*text);
  return json.number();
}

Result<std::string> read_device(const JsonValue& json) {
  BERTH_TRY(const std::string_view type, pt2_string(json, "type"));
  const auto number = json.find("index");
  if (!number || number->is_null()) return std::string(type);
  BERTH_TRY(const std::int64_t device, number->integer());
  return fmt::format("{}:{}", type, device);
}

Result<std::string> read_scalar_type(const JsonValue& json) {
  BERTH_TRY(const std::int64_t scalar_type, json.integer());
  const auto dtype = pt2_dtype(scalar_type);
  return dtype ? std::string(name_of(*dtype)) : fmt::format("torch type {}", scalar_type);
}

Result<std::vector<double>> read_complex(const JsonValue& json) {
  std::vector<double> parts;
  for (const std::string_view part : {"real", "imag"}) {
    BERTH_TRY(const JsonValue member, pt2_member(json, part));
    BERTH_TRY(const double number, read_double(member));
    parts.push_back(number);
  }
  return parts;
}

// A list of what `read` gives for each element.
template <typename T, typename Read>
Result<std::vector<T>> read_list(const JsonValue& json, const Read& read) {
  std::vector<T> list;
  BERTH_RETURN_IF_ERROR(json.for_each([&](const JsonValue& element) -> Status {
    BERTH_TRY(T item, read(element));
    list.push_back(std::move(item));
    return {};
  }));
  return list;
}

class ArgumentReader {
 public:
  ArgumentReader(Pt2Scope& scope, Model& model, Node& node) : scope_(scope), model_(model), node_(node) {}

  Status read(std::string_view name, const JsonValue& json, int depth) {
    BERTH_TRY(const Pt2Union argument, read_pt2_union(json));
    if (argument.kind == "as_none" || argument.kind == "as_graph") return {};
    if (argument.kind == "as_string_to_argument") return read_dictionary(name, argument.value, depth);
    if (holds_tensors(argument.kind) || symbol_type(argument.kind)) BERTH_RETURN_IF_ERROR(read_inputs(json));
    if (holds_tensors(argument.kind)) return {};
    BERTH_TRY(std::optional<Attribute> attribute, read_attribute(argument));
    if (attribute) node_.attributes.emplace_back(std::string(name), *std::move(attribute));
    return {};
  }

 private:
  Status read_dictionary(std::string_view name, const JsonValue& json, int depth) {
    if (depth == kDeepestDictionary) return json.error("dictionaries are nested too deeply");
    return json.for_each_member([&](std::string_view key, const JsonValue& value) {
      return read(fmt::format("{}.{}", name, key), value, depth + 1);
    });
  }

  // Numbers that no node makes are known from shapes: nothing waits for them.
  Status read_inputs(const JsonValue& json) {
    std::vector<Pt2Slot> slots;
    BERTH_RETURN_IF_ERROR(append_slots(json, slots));
    for (const Pt2Slot& slot : slots) {
      if (slot.name.empty()) continue;
      const auto value = scope_.find(model_, slot.name);
      if (value) {
        node_.inputs.push_back(*value);
      } else if (!slot.symbol) {
        return json.error(fmt::format("no node before it makes {}", in_quotes(slot.name)));
      }
    }
    return {};
  }

  Result<std::optional<Attribute>> read_attribute(const Pt2Union& argument) {
    const auto& [kind, value] = argument;
    if (kind == "as_int" || kind == "as_layout" || kind == "as_memory_format") return keep(value.integer(kLowest));
    if (kind == "as_bool") return keep(read_bool(value));
    if (kind == "as_float") return keep(read_double(value));
    if (kind == "as_string" || kind == "as_operator") return keep(read_text(value));
    if (kind == "as_ints")
      return keep(read_list<std::int64_t>(value, [](const JsonValue& item) { return item.integer(kLowest); }));
    if (kind == "as_bools") return keep(read_list<std::int64_t>(value, read_bool));
    if (kind == "as_floats") return keep(read_list<double>(value, read_double));
    if (kind == "as_strings") return keep(read_list<std::string>(value, read_text));
    if (kind == "as_scalar_type") return keep(read_scalar_type(value));
    if (kind == "as_device") return keep(read_device(value));
    if (kind == "as_complex") return keep(read_complex(value));
    if (kind == "as_custom_obj") return keep(pt2_text(value, "name"));
    if (kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float") return read_symbol(value);
    if (kind == "as_sym_ints" || kind == "as_sym_bools") return keep(read_symbols(value));
    if (kind == "as_sym_floats" || kind == "as_int_lists")
      return std::optional<Attribute>();  // no cost depends on them
    return value.error(
        fmt::format("arguments of the kind {} are not known; export the model by torch 2.5 to 2.11", in_quotes(kind)));
  }

  template <typename T>
  static Result<std::optional<Attribute>> keep(Result<T> result) {
    if (!result) return result.error();
    return std::optional<Attribute>(std::in_place, *std::move(result));
  }

  static Result<std::int64_t> read_bool(const JsonValue& json) {
    BERTH_TRY(const bool truth, json.boolean());
    return std::int64_t{truth};
  }

  static Result<std::string> read_text(const JsonValue& json) {
    BERTH_TRY(const std::string_view text, json.string());
    return std::string(text);
  }

  static Result<std::string> pt2_text(const JsonValue& json, std::string_view key) {
    BERTH_TRY(const std::string_view text, pt2_string(json, key));
    return std::string(text);
  }

  // A number, or the name of one with its value during the export.
  Result<std::optional<Attribute>> read_symbol(const JsonValue& json) const {
    BERTH_TRY(const Pt2Union symbol, read_pt2_union(json));
    if (symbol.kind == "as_int") return keep(symbol.value.integer(kLowest));
    if (symbol.kind == "as_bool") return keep(read_bool(symbol.value));
    if (symbol.kind == "as_float") return keep(read_double(symbol.value));
    BERTH_TRY(const std::string_view name, symbol.value.string());
    return scope_.symbol(name);
  }

  Result<std::vector<std::int64_t>> read_symbols(const JsonValue& json) const {
    return read_list<std::int64_t>(json, [this](const JsonValue& item) -> Result<std::int64_t> {
      BERTH_TRY(const std::optional<Attribute> number, read_symbol(item));
      const auto* known = number ? std::get_if<std::int64_t>(&*number) : nullptr;
      return known != nullptr ? *known : std::int64_t{-1};
    });
  }

  Pt2Scope& scope_;
  Model& model_;
  Node& node_;
};

}  // namespace

Status append_slots(const JsonValue& json, std::vector<Pt2Slot>& slots) {
  BERTH_TRY(const Pt2Union argument, read_pt2_union(json));
  const auto& [kind, value] = argument;
  const auto each_tensor = [&](const JsonValue& item) { return append_tensor(item, slots); };
  if (kind == "as_tensor") return append_tensor(value, slots);
  if (kind == "as_tensors") return value.for_each(each_tensor);
  if (kind == "as_nested_tensors")
    return value.for_each([&](const JsonValue& list) { return list.for_each(each_tensor); });
  if (kind == "as_optional_tensor") return append_optional_tensor(value, slots);
  if (kind == "as_optional_tensors")
    return value.for_each([&](const JsonValue& item) { return append_optional_tensor(item, slots); });
  if (const auto type = symbol_type(kind)) {
    if (!kind.ends_with('s')) return append_symbol(value, *type, slots);
    return value.for_each([&](const JsonValue& item) { return append_symbol(item, *type, slots); });
  }
  if (kind != "as_string" && kind != "as_graph") slots.emplace_back();
  return {};
}

Status add_argument(const JsonValue& named_argument, Pt2Scope& scope, Model& model, Node& node) {
  BERTH_TRY(const std::string_view name, pt2_string(named_argument, "name"));
  BERTH_TRY(const JsonValue argument, pt2_member(named_argument, "arg"));
  return ArgumentReader(scope, model, node).read(name, argument, 0);
}

}  // namespace berth
