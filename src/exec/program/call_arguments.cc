// SPDX-License-Identifier: Apache-2.0
#include "exec/program/call_arguments.h"

#include <ATen/ScalarOps.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "exec/program/dtypes.h"
#include "exec/program/operator_rules.h"

namespace berth::exec {
namespace {

using c10::IValue;
using c10::TypeKind;

struct Where {
  const Graph& graph;
  Call& call;
  std::size_t position;
  std::string_view argument;  // its name
};

struct Word {
  std::string_view text;
  std::int64_t value;
};
constexpr std::array kLayouts{Word{"torch.strided", static_cast<std::int64_t>(at::Layout::Strided)}};
constexpr std::array kMemoryFormats{
    Word{"torch.preserve_format", static_cast<std::int64_t>(at::MemoryFormat::Preserve)},
    Word{"torch.contiguous_format", static_cast<std::int64_t>(at::MemoryFormat::Contiguous)},
    Word{"torch.channels_last", static_cast<std::int64_t>(at::MemoryFormat::ChannelsLast)},
    Word{"torch.channels_last_3d", static_cast<std::int64_t>(at::MemoryFormat::ChannelsLast3d)}};

template <std::size_t n>
Result<IValue> word_value(const JsonValue& value, const std::array<Word, n>& words) {
  BERTH_TRY(const std::string_view text, value.string());
  for (const Word& word : words) {
    if (word.text == text) return IValue(word.value);
  }
  return value.error(fmt::format("'{}' is not known", text));
}

// Floating point numbers stand in quotes: JSON has no infinities.
Result<double> float_value(const JsonValue& value) {
  const Result<std::string_view> text = value.string();
  if (!text) return value.number();
  double number = 0.0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return value.expected("a number");
  return number;
}

// Text is a word out of a list, never a path.
Result<IValue> word_of(const JsonValue& text, Where where) {
  BERTH_TRY(const std::string_view word, text.string());
  if (is_known_word(where.argument, word)) return IValue(std::string(word));
  return text.error(fmt::format("{} is no word that '{}' may be in a capture", in_quotes(word), where.argument));
}

Result<IValue> any_scalar(const JsonValue& value, Where where) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  if (const auto integer = value.find("i")) {
    BERTH_TRY(const std::int64_t number, integer->integer(kLowest));
    return IValue(number);
  }
  if (const auto real = value.find("f")) {
    BERTH_TRY(const double number, float_value(*real));
    return IValue(number);
  }
  if (const auto truth = value.find("b")) {
    BERTH_TRY(const bool is_true, truth->boolean());
    return IValue(is_true);
  }
  if (const auto text = value.find("s")) return word_of(*text, where);
  if (const auto dtype = value.find("dtype")) {
    BERTH_TRY(const std::string_view name, dtype->string());
    const auto known = dtype_from_name(name);
    if (!known || !torch_dtype(*known)) return dtype->error(fmt::format("no dtype '{}'", name));
    return IValue(static_cast<std::int64_t>(*torch_dtype(*known)));
  }
  if (const auto layout = value.find("layout")) return word_value(*layout, kLayouts);
  if (const auto format = value.find("memory_format")) return word_value(*format, kMemoryFormats);
  if (value.find("device")) {
    where.call.devices.push_back(where.position);
    return IValue(at::Device(at::kCPU));
  }
  return value.error("not an argument that is known");
}

bool is_whole(TypeKind kind) {
  return kind == TypeKind::IntType || kind == TypeKind::SymIntType || kind == TypeKind::ScalarTypeType ||
         kind == TypeKind::LayoutType || kind == TypeKind::MemoryFormatType;
}

// Numbers become what the operator wants; everything else must be it.
Result<IValue> scalar(const JsonValue& value, TypeKind kind, Where where) {
  BERTH_TRY(IValue found, any_scalar(value, where));
  const bool is_number = found.isInt() || found.isDouble() || found.isBool();
  if (kind == TypeKind::FloatType && is_number) return IValue(found.toScalar().toDouble());
  if (kind == TypeKind::BoolType && (found.isInt() || found.isBool())) return IValue(found.toScalar().toBool());
  if (kind == TypeKind::NumberType && is_number) return found;
  if (kind == TypeKind::StringType && found.isString()) return found;
  if (kind == TypeKind::DeviceObjType && found.isDevice()) return found;
  if (is_whole(kind) && (found.isInt() || found.isBool())) return IValue(found.toScalar().toLong());
  if (is_whole(kind) && found.isDouble()) return value.error("the operator wants a whole number");
  return value.error(fmt::format("'{}' cannot be that", where.argument));
}

// A list, or one value that stands for a list of `wanted` equal ones, as in kernel_size=3.
template <typename T, typename Take>
Result<IValue> list_of(const JsonValue& value, int wanted, TypeKind kind, Where where, const Take& take) {
  c10::List<T> items;
  const auto list = value.find("list");
  if (!list) {
    BERTH_TRY(const IValue item, scalar(value, kind, where));
    for (int i = 0; i < std::max(wanted, 1); ++i) items.push_back(take(item));
    return IValue(items);
  }
  BERTH_RETURN_IF_ERROR(list->for_each([&](const JsonValue& element) -> Status {
    BERTH_TRY(const IValue item, scalar(element, kind, where));
    items.push_back(take(item));
    return {};
  }));
  return IValue(items);
}

Result<std::int64_t> tensor_or_absent(const JsonValue& value, const Graph& graph) {
  if (value.is_null()) return std::int64_t{-1};
  const auto op = value.find("op");
  if (!op) return value.expected("a tensor");
  return tensor_named(*op, graph);
}

Result<IValue> tensors_of(const JsonValue& value, bool is_list, bool may_be_absent, Where where) {
  TensorArgument argument{where.position, is_list, may_be_absent, {}};
  const auto list = value.find("list");
  if (is_list && list) {
    BERTH_RETURN_IF_ERROR(list->for_each([&](const JsonValue& element) -> Status {
      BERTH_TRY(const std::int64_t tensor, tensor_or_absent(element, where.graph));
      argument.tensors.push_back(tensor);
      return {};
    }));
  } else {
    BERTH_TRY(const std::int64_t tensor, tensor_or_absent(value, where.graph));
    argument.tensors.push_back(tensor);
  }
  where.call.tensors.push_back(std::move(argument));
  return IValue();
}

Result<IValue> list_value(const JsonValue& value, const c10::TypePtr& element, int wanted, Where where) {
  switch (element->kind()) {
    case TypeKind::TensorType:
      return tensors_of(value, true, false, where);
    case TypeKind::OptionalType:
      return tensors_of(value, true, true, where);
    case TypeKind::IntType:
      return list_of<std::int64_t>(value, wanted, TypeKind::IntType, where, [](const IValue& v) { return v.toInt(); });
    case TypeKind::FloatType:
      return list_of<double>(value, wanted, TypeKind::FloatType, where, [](const IValue& v) { return v.toDouble(); });
    case TypeKind::BoolType:
      return list_of<bool>(value, wanted, TypeKind::BoolType, where, [](const IValue& v) { return v.toBool(); });
    default:
      return value.error(fmt::format("a list of {} is not supported", element->str()));
  }
}

Result<IValue> convert(const JsonValue& value, c10::TypePtr type, int wanted, Where where) {
  if (type->kind() == TypeKind::TensorType && value.is_null()) return IValue(at::Tensor());  // none, all the same
  if (type->kind() == TypeKind::OptionalType) {
    if (value.is_null()) return IValue();
    type = type->castRaw<c10::OptionalType>()->getElementType();
  }
  if (type->kind() == TypeKind::ListType) {
    return list_value(value, type->castRaw<c10::ListType>()->getElementType(), wanted, where);
  }
  if (type->kind() == TypeKind::TensorType) {
    if (value.find("op")) return tensors_of(value, false, false, where);
    // A number where the operator wants a tensor: add.Tensor(x, 1.0).
    BERTH_TRY(const IValue number, scalar(value, TypeKind::NumberType, where));
    at::Tensor wrapped = c10::scalar_to_tensor(number.toScalar());
    wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
    return IValue(std::move(wrapped));
  }
  if (value.is_null()) return value.error(fmt::format("the operator wants {}", type->str()));
  return scalar(value, type->kind(), where);
}

}  // namespace

Result<std::int64_t> tensor_named(const JsonValue& op, const Graph& graph) {
  BERTH_TRY(const std::int64_t number, op.integer(0, static_cast<std::int64_t>(graph.num_ops()) - 1));
  const IdRange<TensorId> outputs = graph.outputs(static_cast<OpId>(number));
  if (outputs.empty()) return std::int64_t{-1};
  if (outputs.size() == 1) return static_cast<std::int64_t>(index(*outputs.begin()));
  return op.error(fmt::format("op {} has {} outputs; a getitem must pick one", number, outputs.size()));
}

Status read_arguments(const std::optional<JsonValue>& args, const std::optional<JsonValue>& kwargs,
                      const c10::FunctionSchema& schema, const Graph& graph, Call& call) {
  const std::vector<c10::Argument>& wanted = schema.arguments();
  const std::size_t given = args ? args->size() : 0;
  if (given > wanted.size()) {
    return args->error(fmt::format("it has {} arguments, {} takes {}", given, schema.name(), wanted.size()));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const c10::Argument& argument = wanted[i];
    std::optional<JsonValue> value;
    if (i < given) value.emplace(*args->at(i));
    if (const auto named = kwargs ? kwargs->find(argument.name()) : std::nullopt) value.emplace(*named);
    if (value) {
      BERTH_TRY(IValue converted,
                convert(*value, argument.type(), argument.N().value_or(1), {graph, call, i, argument.name()}));
      call.arguments.push_back(std::move(converted));
    } else if (argument.default_value()) {
      call.arguments.push_back(*argument.default_value());
    } else {
      return bad_input("argument '{}' of {} is missing", argument.name(), schema.name());
    }
  }
  return {};
}

}  // namespace berth::exec
