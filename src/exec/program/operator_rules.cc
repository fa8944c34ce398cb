// SPDX-License-Identifier: Apache-2.0
#include "exec/program/operator_rules.h"

#include <ATen/core/jit_type.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ops/op_table.h"

namespace berth::exec {
namespace {

using c10::TypeKind;

struct Words {
  std::string_view argument, words;
};
constexpr std::array kWords{Words{"approximate", "none tanh"},
                            Words{"rounding_mode", "trunc floor"},
                            Words{"reduce", "sum prod mean amax amin add multiply"},
                            Words{"padding", "valid same"},
                            Words{"mode", "constant reflect replicate circular"},
                            Words{"indexing", "ij xy"},
                            Words{"side", "left right"}};
constexpr std::string_view kEquation = "equation";  // of einsum: labels, commas, dots and an arrow
constexpr std::string_view kLabels = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,.-> ";

const Words* words_of(std::string_view argument) {
  const auto found = std::ranges::find(kWords, argument, &Words::argument);
  return found == kWords.end() ? nullptr : &*found;
}

bool is_plain(TypeKind kind) {
  switch (kind) {
    case TypeKind::TensorType:
    case TypeKind::IntType:
    case TypeKind::SymIntType:
    case TypeKind::FloatType:
    case TypeKind::BoolType:
    case TypeKind::NumberType:
    case TypeKind::DeviceObjType:
    case TypeKind::ScalarTypeType:
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
      return true;
    default:
      return false;
  }
}

// Generators are the executor's, which gives one where an operator takes one: captures cannot.
bool may_take(const c10::Argument& argument) {
  c10::TypePtr type = argument.type();
  const bool is_optional = type->kind() == TypeKind::OptionalType;
  if (is_optional) type = type->castRaw<c10::OptionalType>()->getElementType();
  if (type->kind() == TypeKind::GeneratorType) return is_optional;
  if (type->kind() == TypeKind::StringType) {
    return argument.name() == kEquation || words_of(argument.name()) != nullptr;
  }
  if (type->kind() == TypeKind::ListType) {
    type = type->castRaw<c10::ListType>()->getElementType();
    if (type->kind() == TypeKind::OptionalType) type = type->castRaw<c10::OptionalType>()->getElementType();
  }
  return is_plain(type->kind());
}

constexpr std::string_view kWayOut = "python -m berth.capture writes captures without such ops (berth help measuring)";

}  // namespace

std::optional<std::string> refusal(std::string_view type, const c10::FunctionSchema& schema) {
  if (!find_op(Dialect::kAten, type)) {
    return fmt::format(
        "'{}' is not among the operators that captures may call, which are those of Berth's op table; {}", type,
        kWayOut);
  }
  for (const c10::Argument& argument : schema.arguments()) {
    if (argument.alias_info() != nullptr && argument.alias_info()->isWrite()) {
      return fmt::format("'{}' writes into its argument '{}', and captures may only compute new tensors; {}", type,
                         argument.name(), kWayOut);
    }
  }
  for (const c10::Argument& argument : schema.arguments()) {
    if (may_take(argument)) continue;
    return fmt::format("'{}' takes '{}' ({}), which captures may not give; {}", type, argument.name(),
                       argument.type()->str(), kWayOut);
  }
  return std::nullopt;
}

bool is_known_word(std::string_view argument, std::string_view word) {
  if (argument == kEquation) return word.find_first_not_of(kLabels) == std::string_view::npos;
  const Words* words = words_of(argument);
  return words != nullptr && std::ranges::count(split(words->words, ' '), word) > 0;
}

std::optional<std::size_t> position_of_training(const c10::FunctionSchema& schema) {
  constexpr std::array<std::string_view, 5> kWriters{"aten::native_batch_norm", "aten::batch_norm",
                                                     "aten::cudnn_batch_norm", "aten::miopen_batch_norm",
                                                     "aten::instance_norm"};
  if (std::ranges::count(kWriters, schema.name()) == 0) return std::nullopt;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const std::string& name = schema.arguments()[i].name();
    if (name == "training" || name == "use_input_stats") return i;
  }
  return std::nullopt;
}

}  // namespace berth::exec
