// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_value.h"

#include <cmath>

#include "base/text.h"

namespace berth {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t kShownCharacters = 40;

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kShownCharacters)) shown += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return fmt::format("\"{}{}\"", shown, text.size() > kShownCharacters ? "..." : "");
}

std::string JsonValue::path() const {
  std::string path;
  for (const JsonValue* value = this; value != nullptr; value = value->parent_) {
    std::string step(value->key_);
    if (value->index_ != kNoIndex) step += fmt::format("[{}]", value->index_);
    const bool needs_dot = !path.empty() && path.front() != '[';
    path = fmt::format("{}{}{}", step, needs_dot ? "." : "", path);
  }
  return path;
}

std::string JsonValue::description() const {
  switch (element_.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::NULL_VALUE:
      return "null";
    case element_type::STRING:
      return in_quotes(std::string_view(element_));
    default:
      return simdjson::to_string(element_);
  }
}

Error JsonValue::expected(std::string_view what) const {
  return error(fmt::format("expected {}, found {}", what, description()));
}

Result<std::string_view> JsonValue::string() const {
  std::string_view text;
  if (element_.get(text) != simdjson::SUCCESS) return expected("a string");
  return text;
}

Result<std::int64_t> JsonValue::integer(std::int64_t low, std::int64_t high) const {
  std::int64_t number = 0;
  const bool is_integer = element_.type() == element_type::INT64 && element_.get(number) == simdjson::SUCCESS;
  if (is_integer && number >= low && number <= high) return number;
  if (low == 0 && high == kLargest) return expected("a non-negative integer");
  return expected(fmt::format("an integer from {} to {}", low, high));
}

Result<double> JsonValue::number() const {
  double number = 0.0;
  if (element_.get(number) != simdjson::SUCCESS || !std::isfinite(number)) return expected("a number");
  return number;
}

Result<bool> JsonValue::boolean() const {
  bool truth = false;
  if (element_.get(truth) != simdjson::SUCCESS) return expected("true or false");
  return truth;
}

Status JsonValue::for_each(const Visit& visit) const {
  simdjson::dom::array array;
  if (element_.get(array) != simdjson::SUCCESS) return expected("an array");
  std::size_t index = 0;
  for (const simdjson::dom::element element : array) {
    BERTH_RETURN_IF_ERROR(visit(JsonValue(element, this, {}, index)));
    ++index;
  }
  return {};
}

Status JsonValue::for_each_member(const VisitMember& visit) const {
  simdjson::dom::object object;
  if (element_.get(object) != simdjson::SUCCESS) return expected("an object");
  for (const auto& [key, element] : object) {
    BERTH_RETURN_IF_ERROR(visit(key, JsonValue(element, this, key, kNoIndex)));
  }
  return {};
}

Result<std::uint32_t> JsonValue::fields(std::span<const std::string_view> names, UnknownFields unknown,
                                        const VisitField& visit) const {
  BERTH_CHECK(names.size() <= 32);
  std::uint32_t seen = 0;
  BERTH_RETURN_IF_ERROR(for_each_member([&](std::string_view key, const JsonValue& value) -> Status {
    std::size_t field = 0;
    while (field < names.size() && names[field] != key) ++field;
    if (field == names.size()) {
      if (unknown == UnknownFields::kIgnore) return {};
      return error(fmt::format("unknown member {}{}", in_quotes(key), did_you_mean(key, names)));
    }
    const std::uint32_t bit = std::uint32_t{1} << field;
    if ((seen & bit) != 0) return error(fmt::format("{} is there twice", in_quotes(key)));
    seen |= bit;
    return visit(field, value);
  }));
  return seen;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  simdjson::dom::element found;
  if (!is_object() || element_.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return JsonValue(found, this, key, kNoIndex);
}

std::optional<JsonValue> JsonValue::at(std::size_t index) const {
  simdjson::dom::element found;
  if (!is_array() || element_.at(index).get(found) != simdjson::SUCCESS) return std::nullopt;
  return JsonValue(found, this, {}, index);
}

std::size_t JsonValue::size() const {
  simdjson::dom::array array;
  return element_.get(array) == simdjson::SUCCESS ? array.size() : 0;
}

}  // namespace berth
