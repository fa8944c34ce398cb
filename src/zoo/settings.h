// SPDX-License-Identifier: Apache-2.0
// Parameters of zoo models. One row per parameter feeds the parser, its error messages, the help and the documentation.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

struct ParameterInfo {
  std::string_view name;
  std::string_view help;
  // A whole number from min to max ...
  std::int64_t number = 0, min = 0, max = 0;
  // ... or one of these words, "train|infer"; empty for numbers.
  std::string_view words = {}, word = {};

  [[nodiscard]] bool is_number() const { return words.empty(); }
  [[nodiscard]] std::string default_text() const;
  [[nodiscard]] std::string allowed_text() const;  // "1 to 65536", "train or infer"
};

constexpr ParameterInfo whole_number(std::string_view name, std::int64_t value, std::int64_t min, std::int64_t max,
                                     std::string_view help) {
  return {.name = name, .help = help, .number = value, .min = min, .max = max};
}

constexpr ParameterInfo choice(std::string_view name, std::string_view value, std::string_view words,
                               std::string_view help) {
  return {.name = name, .help = help, .words = words, .word = value};
}

// Values of all parameters of one model. Asking for one it does not have is our mistake.
class Settings {
 public:
  explicit Settings(std::span<const ParameterInfo> parameters);

  // Takes "name=value"; `model` is named in errors.
  Status set(std::string_view model, std::string_view assignment);

  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  [[nodiscard]] bool is(std::string_view name, std::string_view value) const { return word(name) == value; }
  [[nodiscard]] bool training() const { return is("mode", "train"); }

 private:
  struct Value {
    const ParameterInfo* info;
    std::int64_t number;
    std::string word;
    bool given = false;
  };
  [[nodiscard]] const Value& value(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace berth
