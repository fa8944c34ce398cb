// SPDX-License-Identifier: Apache-2.0
#include "import/aten/aten_constants.h"

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
