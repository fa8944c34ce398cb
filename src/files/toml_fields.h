// SPDX-License-Identifier: Apache-2.0
// TomlFields: one table of a TOML file, read by its keys, with errors that name file, line and key. Every getter leaves
// its target alone when the key is missing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/toml.h"

namespace berth {

class TomlFields {
 public:
  // `where` names the file and `section` the table ("" for the root). All must outlive it.
  TomlFields(const TomlValue& table, std::string_view where, std::string_view section)
      : table_(table), where_(where), section_(section) {}

  [[nodiscard]] const TomlValue* find(std::string_view key) const { return table_.find(key); }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  // "box.toml:12: devices.memory: message"
  [[nodiscard]] Error error(int line, std::string_view key, std::string message) const;
  [[nodiscard]] Error wrong_kind(const TomlValue& value, std::string_view key, std::string_view wanted) const;
  [[nodiscard]] Error missing(std::string_view key, std::string_view hint = "") const;

  // An error for the first key, in the order of the file, that is none of these.
  [[nodiscard]] Status only(std::span<const std::string_view> known) const;
  // An error if the key "format" is there and says something else.
  [[nodiscard]] Status check_format(std::string_view wanted) const;

  Status string(std::string_view key, std::string& target) const;
  Status strings(std::string_view key, std::vector<std::string>& target) const;  // a string, or an array of them
  Status boolean(std::string_view key, bool& target) const;
  Status integer(std::string_view key, int& target) const;

  // A quantity: text with a unit, or a plain number in the base unit. T is double or Bytes.
  template <typename T>
  Status quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& target) const {
    const TomlValue* value = find(key);
    return value == nullptr ? Status() : quantity_of(*value, key, parse, target);
  }
  template <typename T>
  Status quantity_of(const TomlValue& value, std::string_view key, Result<T> (*parse)(std::string_view),
                     T& target) const {
    using Kind = TomlValue::Kind;
    const bool is_number = value.kind == Kind::kInteger || value.kind == Kind::kFloat;
    if (!is_number && value.kind != Kind::kString) return wrong_kind(value, key, "a quantity");
    auto result = parse(is_number ? fmt::format("{}", value.number) : value.text);
    if (!result.ok()) return error(value.line, key, result.error().message);
    target = *result;
    return {};
  }

 private:
  const TomlValue& table_;
  std::string_view where_, section_;
};

// Errors quote the file, which may hold a word of a million letters.
Error shortened(Error error);

}  // namespace berth
