// SPDX-License-Identifier: Apache-2.0
#include "files/toml_fields.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "files/files.h"

namespace berth {
namespace {

using Kind = TomlValue::Kind;

}  // namespace

Error TomlFields::error(int line, std::string_view key, std::string message) const {
  const std::string path = section_.empty() ? std::string(key) : fmt::format("{}.{}", section_, key);
  return in_file(fmt::format("{}:{}: {}", where_, line, path), {ErrorCode::kBadInput, std::move(message)});
}

Error TomlFields::wrong_kind(const TomlValue& value, std::string_view key, std::string_view wanted) const {
  return error(value.line, key, fmt::format("expected {}, found {}", wanted, name_of(value.kind)));
}

Error TomlFields::missing(std::string_view key, std::string_view hint) const {
  return error(table_.line, key, fmt::format("is missing{}", hint));
}

Status TomlFields::only(std::span<const std::string_view> known) const {
  std::vector<std::string_view> keys(table_.items.size());
  for (const auto& [key, position] : table_.keys) keys[position] = key;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (std::find(known.begin(), known.end(), keys[i]) != known.end()) continue;
    return error(table_.items[i].line, keys[i], fmt::format("no such key{}", did_you_mean(keys[i], known)));
  }
  return {};
}

Status TomlFields::check_format(std::string_view wanted) const {
  std::string format(wanted);
  BERTH_RETURN_IF_ERROR(string("format", format));
  if (format == wanted) return {};
  return error(find("format")->line, "format", fmt::format("'{}' is not read here; this is \"{}\"", format, wanted));
}

Status TomlFields::string(std::string_view key, std::string& target) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Kind::kString) return wrong_kind(*value, key, "a string");
  target = value->text;
  return {};
}

Status TomlFields::strings(std::string_view key, std::vector<std::string>& target) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const bool several = value->kind == Kind::kArray;
  for (const TomlValue& item : several ? std::span(value->items) : std::span(value, 1)) {
    if (item.kind != Kind::kString) return wrong_kind(item, key, "a string");
    target.push_back(item.text);
  }
  return {};
}

Status TomlFields::boolean(std::string_view key, bool& target) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Kind::kBool) return wrong_kind(*value, key, "true or false");
  target = value->boolean;
  return {};
}

Status TomlFields::integer(std::string_view key, int& target) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Kind::kInteger) return wrong_kind(*value, key, "a whole number");
  target = static_cast<int>(
      std::clamp<std::int64_t>(value->integer, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  return {};
}

Error shortened(Error error) {
  constexpr std::size_t kLongest = 1000;
  if (error.message.size() <= kLongest) return error;
  std::size_t end = kLongest;
  while ((static_cast<unsigned char>(error.message[end]) & 0xC0) == 0x80) --end;  // not inside a character
  error.message = error.message.substr(0, end) + " ...";
  return error;
}

}  // namespace berth
