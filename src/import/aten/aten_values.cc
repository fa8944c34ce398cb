// SPDX-License-Identifier: Apache-2.0
#include "import/aten/aten_values.h"

#include <algorithm>
#include <array>
#include <limits>

namespace berth {
namespace {

// {"i": 3}, {"f": "0.5"}, {"b": true}, {"dtype": "f32"} and so on.
std::optional<std::string> word_of(const JsonValue& value) {
  constexpr std::array<std::string_view, 7> kKinds{"i", "f", "b", "s", "dtype", "layout", "memory_format"};
  for (const std::string_view kind : kKinds) {
    const auto held = value.find(kind);
    if (!held) continue;
    if (const auto text = held->string()) return std::string(*text);
    if (const auto whole = held->integer(std::numeric_limits<std::int64_t>::min())) return fmt::format("{}", *whole);
    if (const auto real = held->number()) return fmt::format("{}", *real);
    if (const auto truth = held->boolean()) return *truth ? "true" : "false";
  }
  return std::nullopt;
}

std::optional<Attribute> constant_of(const JsonValue& value) {
  const auto list = value.find("list");
  if (!list) {
    auto word = word_of(value);
    return word ? std::optional<Attribute>(*std::move(word)) : std::nullopt;
  }
  std::vector<std::string> words;
  const Status all_are_words = list->for_each([&](const JsonValue& item) -> Status {
    auto word = word_of(item);
    if (!word) return item.expected("a constant");
    words.push_back(*std::move(word));
    return {};
  });
  if (!all_are_words) return std::nullopt;  // tensors
  return Attribute(std::move(words));
}

}  // namespace

void AtenOutputs::add(std::vector<TensorSpec> tensors, std::vector<bool> mask) {
  const auto existing = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
  const bool is_output_mask = existing == tensors.size() && existing < mask.size();
  ops_.push_back({std::move(tensors), is_output_mask ? std::move(mask) : std::vector<bool>()});
}

const TensorSpec& AtenOutputs::tensor(OutputRef ref) const {
  return ops_[index(ref.op)].tensors[static_cast<std::size_t>(ref.output)];
}

Bytes AtenOutputs::bytes(OutputRef ref) const { return std::max<Bytes>(tensor_bytes(tensor(ref)), 0); }

void AtenOutputs::append_all(OpId op, std::vector<OutputRef>& refs) const {
  const int count = static_cast<int>(ops_[index(op)].tensors.size());
  for (int i = 0; i < count; ++i) refs.push_back({op, i});
}

std::optional<OutputRef> AtenOutputs::pick(OpId op, std::int64_t number) const {
  const Outputs& outputs = ops_[index(op)];
  std::int64_t position = number;
  if (!outputs.mask.empty()) {
    if (number >= std::ssize(outputs.mask) || !outputs.mask[static_cast<std::size_t>(number)]) return std::nullopt;
    position = std::count(outputs.mask.begin(), outputs.mask.begin() + number, true);
  }
  if (position >= std::ssize(outputs.tensors)) return std::nullopt;
  return OutputRef{op, static_cast<int>(position)};
}

Result<NamedConstants> aten_constants(const std::optional<JsonValue>& args, const std::optional<JsonValue>& kwargs) {
  NamedConstants constants;
  const auto add = [&](std::string name, const JsonValue& value) -> Status {
    if (auto constant = constant_of(value)) constants.emplace_back(std::move(name), *std::move(constant));
    return {};
  };
  std::size_t position = 0;
  if (args) {
    BERTH_RETURN_IF_ERROR(
        args->for_each([&](const JsonValue& value) { return add(fmt::format("args[{}]", position++), value); }));
  }
  if (kwargs) {
    BERTH_RETURN_IF_ERROR(kwargs->for_each_member(
        [&](std::string_view name, const JsonValue& value) { return add(std::string(name), value); }));
  }
  return constants;
}

}  // namespace berth
