// SPDX-License-Identifier: Apache-2.0
// A reader for TOML that hostile files cannot harm: values with their lines, one-line errors, caps on size and depth.
// Reads tables, arrays of tables, bare, quoted and dotted keys, strings on one line, decimal numbers, booleans, arrays
// and inline tables: all that a machine file needs. Dates, numbers in other bases and strings of several lines are
// refused.
//
// Why our own: the packaged toml++ 3.3 has undefined behaviour on "[[[" and overflows the stack on long dotted keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

inline constexpr std::size_t kMaxTomlBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTomlValues = 100'000;
inline constexpr int kMaxTomlDepth = 16;  // of arrays, inline tables and dotted keys

struct TomlValue {
  enum class Kind : std::uint8_t { kBool, kInteger, kFloat, kString, kArray, kTable };

  Kind kind = Kind::kTable;
  bool open = false;     // table or array that headers and dotted keys may extend; else it was written in one piece
  bool defined = false;  // table that had a header of its own
  int line = 1;          // where it begins
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;           // of floats and integers
  std::string text;              // of strings
  std::vector<TomlValue> items;  // elements of an array, or values of a table in the order of the file
  std::map<std::string, std::size_t, std::less<>> keys;  // of a table: key to index in items

  [[nodiscard]] const TomlValue* find(std::string_view key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? nullptr : &items[found->second];
  }
};

// "a string", "a table", ...: for errors.
std::string_view name_of(TomlValue::Kind kind);

// The root table. Errors read "where:line: what".
Result<TomlValue> parse_toml(std::string_view text, std::string_view where);

// As TOML writes it: with quotes, and escapes for what needs them.
std::string toml_string(std::string_view text);

}  // namespace berth
